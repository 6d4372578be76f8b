// The options of a test cluster.
import type { ApiServerOptions } from "@homeostat/apiserver";
import type { Client } from "homeostat/client";
import type { WebhooksOptions } from "homeostat/webhook";
import type { Controller, ReconcileLog, ResourceDefinition } from "homeostat";

/** Options of a test cluster. */
export interface TestClusterOptions {
  /** Resources to install before the controllers start. */
  readonly resources?: readonly { readonly definition: ResourceDefinition }[];
  /** Controllers to run. */
  readonly controllers?: readonly Controller[];
  /**
   * Webhooks to serve on loopback, from `homeostat/webhook`; they may ask the client. Needs
   * `controllers`.
   */
  readonly webhooks?: (client: Client) => WebhooksOptions["serve"];
  /** The operator's name in field managers. Default `test`. */
  readonly operator?: string;
  /** Controllers of kube-controller-manager to run, as `--controllers`. Default `default`. */
  readonly controlPlane?: NonNullable<ApiServerOptions["controllers"]>;
  /** Creates this many fake nodes and runs pods on them. */
  readonly fakeNodes?: number;
  /**
   * Stages that simulate the lifecycle of pods, nodes and other objects, in addition to the
   * built-in stages for pods.
   */
  readonly stages?: NonNullable<ApiServerOptions["stages"]>;
  /**
   * Records requests, e.g. `{ policy: "Metadata" }`: `cluster.server.audit` has the events.
   * Default: none.
   */
  readonly audit?: NonNullable<ApiServerOptions["audit"]>;
  /**
   * Whether `settle` and `close` reject when a controller depends on something that it does not
   * declare, or drops a result (ERR_TEST_BREACH), or `manager.breaches()` alone shows it. Default
   * `fail`.
   */
  readonly breaches?: "fail" | "report";
  /**
   * Whether `settle` rejects when a reconcile fails and goes on failing (ERR_TEST_FAILING), or
   * `states` alone shows it. A `terminal` error is a result, and no failure. Default `fail`.
   */
  readonly failures?: "fail" | "report";
  /** Log of the controllers. Default: silent. */
  readonly log?: ReconcileLog;
}
