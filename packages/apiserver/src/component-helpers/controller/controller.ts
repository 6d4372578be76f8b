// What every controller of the control plane receives and offers. Controllers are ordinary clients:
// they use nothing that another program could not use over the wire.
// Upstream: k8s.io/kubernetes/cmd/kube-controller-manager/app/controller_descriptor.go.
import type { Client } from "homeostat/client";
import type { Cache } from "homeostat/cache";
import type { Runtime } from "homeostat/runtime";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import type { Authority } from "homeostat/certificates";
import type { ServedKinds } from "./served-kinds.ts";

/** The tools of a controller. The controller manager owns them; all controllers share them. */
export interface ControllerContext {
  readonly runtime: Runtime;
  /** Writes as kube-controller-manager: the user agent is the field manager of its updates. */
  readonly client: Client;
  readonly cache: Cache;
  readonly kinds: ServedKinds;
  /** The Go structs, for names that hash how Go prints one. */
  readonly kindData: KindData;
  /** The certificate authority (PEM) that clients trust; undefined if the server has none. */
  readonly rootCa?: string;
  /** Signs certificate requests; undefined if no authority is configured. */
  readonly signer?: Authority;
  /** Names of all controllers that run. */
  readonly chosen: ReadonlySet<string>;
  /** Reports a failure that retries do not resolve. */
  readonly warn: (message: string, error: unknown) => void;
}

/** A controller that has been started. */
export interface RunningController {
  stop(): Promise<void>;
}

/** Starts a controller. Every module of a controller exports one as `start`. */
export type Start<C extends ControllerContext = ControllerContext> = (
  context: C,
) => Promise<RunningController>;

/** One controller of the control plane, which needs a context of type `C`. */
export interface ControllerDescriptor<C extends ControllerContext = ControllerContext> {
  /** The short name, which kube-controller-manager's `--controllers` still accepts. */
  readonly name: string;
  /** The current name, and others that `--controllers` accepts. */
  readonly aliases: readonly string[];
  /** Loads its module, before it starts. */
  load(): Promise<{ start(context: C): Promise<RunningController> }>;
  /** Set for the controllers that run by default. */
  readonly byDefault?: true;
  /** Not a controller of kube-controller-manager: `all` does not include it. */
  readonly byNameOnly?: true;
}
