// What a scenario is made of besides its workload.
import type { ApiServerOptions } from "@homeostat/apiserver";
import type { Invariants } from "../oracles/invariants.ts";
import type { Controller, ResourceDefinition } from "homeostat";

/** What a run starts with. */
export interface SimulationSetup {
  /** Resources to install before the operator starts. */
  readonly resources?: readonly { readonly definition: ResourceDefinition }[];
  /** Makes the controllers of one process: what it keeps in memory is gone with the process. */
  readonly controllers: () => readonly Controller[];
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
