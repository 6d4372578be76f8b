// What the runtime knows of a kind, ours or anybody's: a name, a scope, and the types that the
// compiler needs. Knows nothing of schemas; `defineResource` yields one, `homeostat/k8s/*` yields
// others.

/** Metadata of an object that was read. */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** A reference to an owner, as it stands in metadata.ownerReferences. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata of an object that is to be written. */
export interface Naming {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** meta/v1 Condition, with a closed set of types. */
export interface Condition<C extends string = string> {
  readonly type: C;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/**
 * What the runtime knows of a kind. `O`: what is read; `M`: what may be applied; `S`: what may be
 * said in status; `C`: condition types. `~types` never exists at run time.
 */
export interface Kind<O = any, M = any, S = any, C extends string = any> {
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural, lower case: the path segment. */
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly "~types": {
    readonly object: O;
    readonly manifest: M;
    readonly status: S;
    readonly condition: C;
  };
}

/** What is read of a kind. */
export type ObjectOf<K extends Kind> = K["~types"]["object"];
/** What may be applied of a kind. */
export type ManifestOf<K extends Kind> = K["~types"]["manifest"];
/** What may be said in a kind's status. */
export type StatusOf<K extends Kind> = K["~types"]["status"];
/** The condition types of a kind. */
export type ConditionOf<K extends Kind> = K["~types"]["condition"];
