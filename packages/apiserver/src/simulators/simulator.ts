// What every simulated controller of the control plane is given, and what it must offer: one small
// interface, one registry line. Simulators are ordinary clients: they see nothing that another
// program could not see over the wire.
import type { Client } from "homeostat/client";
import type { Cache } from "homeostat/cache";
import type { Runtime } from "homeostat/runtime";
import type { Authority } from "../certificates/authority.ts";
import type { KindData } from "../kinds/data/kind-data.ts";
import type { ServedKinds } from "./served-kinds.ts";
import type { Stage } from "./stages/stage.ts";

/** What a simulator works with. Shared by all, owned by the host. */
export interface SimulatorContext {
  readonly runtime: Runtime;
  /** As kube-controller-manager writes: its user agent is the field manager of its updates. */
  readonly client: Client;
  readonly cache: Cache;
  readonly kinds: ServedKinds;
  /** Go's structs, for what is named after how Go prints them. */
  readonly kindData: KindData;
  /** The certificate (PEM) by which clients know the server; undefined where it serves none. */
  readonly rootCa?: string;
  /** Who signs certificate requests; undefined where nobody could show the certificates. */
  readonly signer?: Authority;
  /** How many nodes are to be made, where somebody has said so. */
  readonly fakeNodes?: number;
  /** Stages that were given, beside the built-in ones. */
  readonly stages: readonly Stage[];
  /** Names of all simulators that run. */
  readonly chosen: ReadonlySet<string>;
  /** Told of what cannot be mended by trying again. */
  readonly warn: (message: string, error: unknown) => void;
}

/** A simulator at work. */
export interface RunningSimulator {
  stop(): Promise<void>;
}

/** One controller of the control plane. */
export interface Simulator {
  /** As kube-controller-manager's `--controllers` names it. */
  readonly name: string;
  /** On unless told otherwise; only what envtest users miss most. */
  readonly byDefault: boolean;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  /** Not a controller of kube-controller-manager: `all` does not mean it, only its name does. */
  readonly byNameOnly?: true;
  start(context: SimulatorContext): Promise<RunningSimulator>;
}
