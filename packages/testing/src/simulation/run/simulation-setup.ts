// What a scenario is made of besides its workload.
import type { ApiServerOptions } from "@homeostat/apiserver";
import type { Invariants } from "../oracles/invariants.ts";
import type { Controller, ResourceDefinition } from "homeostat";

/** Fakes of external systems, by name. */
export type Externals = Readonly<Record<string, object>>;

/** What a run starts with. */
export interface SimulationSetup<E extends Externals = Externals> {
  /** Resources to install before the operator starts. */
  readonly resources?: readonly { readonly definition: ResourceDefinition }[];
  /** Makes the controllers of one process: what it keeps in memory is gone with the process. */
  readonly controllers: (externals: E) => readonly Controller[];
  /**
   * Makes the fakes of a run, which outlive the operator's processes. Calls of the controllers are
   * cut and lost like requests, and asynchronous whatever the fake does. What a fake's `toJSON`
   * returns belongs to the end state.
   */
  readonly externals?: () => E;
  /** The operator's name in field managers and finalizers. */
  readonly operator: string;
  /** Controllers of kube-controller-manager to run, as `--controllers`. Default `default`. */
  readonly controlPlane?: NonNullable<ApiServerOptions["controllers"]>;
  /** Creates this many fake nodes and runs pods on them. */
  readonly fakeNodes?: number;
  /** What must hold after each change, by what it says: `never loses data`. */
  readonly invariants?: Invariants;
  /** Stages that simulate the lifecycle of pods, nodes and other objects. */
  readonly stages?: NonNullable<ApiServerOptions["stages"]>;
}
