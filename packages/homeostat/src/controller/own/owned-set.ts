// One own() call: the owner, the kind, and the set of owned objects that the call decides about.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { Informer } from "../../cache/informer.ts";
import type { Client } from "../../client/client.ts";
import type { OwnMemory } from "./own-memory.ts";
import type { NamespaceScope } from "../watching/namespace-scope.ts";

/** Dependencies of own() during one reconcile. */
export interface OwnedSetDependencies {
  readonly owner: KubeObject;
  readonly ownerKind: Kind;
  /** The controller's field manager; a named set appends its name. */
  readonly manager: string;
  /** Scoped to the reconcile's signal. */
  readonly client: Client;
  /** The informer of a declared kind. */
  informer(kind: Kind): Informer | undefined;
  /** What the informers watch. */
  readonly namespaces: NamespaceScope;
  /** Throws once the run has ended. Called before every write. */
  assertRunning(): void;
  /** Called with the error of a write whose object was replaced or deleted meanwhile. */
  overtaken(error: unknown): void;
  readonly memory: OwnMemory;
}

/** The set of one call; its manager includes the name of the set. */
export interface OwnedSet extends Omit<OwnedSetDependencies, "informer"> {
  readonly kind: Kind;
  readonly informer: Informer;
  readonly adopt: boolean;
}

/** Concurrent writes of one own() call. */
export const parallelWrites = 8;
