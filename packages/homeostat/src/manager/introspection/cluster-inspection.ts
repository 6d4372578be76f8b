// What introspection reads of the manager of one cluster, at the moment at which it is asked.
import type { Informer } from "../../cache/index.ts";
import type { ControllerRunner } from "../../controller/controller-runner.ts";
import type { ControllerDefinition } from "../../controller/define-controller.ts";
import type { ElectionReport } from "../../election/elector.ts";
import type { RingReport } from "../../election/ring/ring-member.ts";
import type { WebhooksReport } from "../../webhook/create-webhooks.ts";

/** One controller at work. */
export interface InspectedController {
  readonly runner: ControllerRunner;
  readonly concurrency: number;
}

/** The parts of one cluster's manager. */
export interface ClusterInspection {
  /** Undefined with a manager of one client. */
  readonly cluster: string | undefined;
  readonly controllers: readonly InspectedController[];
  /** Of all controllers, also of those that stand by. */
  readonly definitions: readonly ControllerDefinition[];
  readonly informers: readonly Informer[];
  readonly elections: readonly ElectionReport[];
  readonly rings: readonly RingReport[];
  /** Undefined without webhooks. */
  readonly webhooks: WebhooksReport | undefined;
}
