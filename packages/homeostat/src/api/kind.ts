// The runtime's view of a kind: names, scope, and types for the compiler. Knows nothing of schemas.
// `defineResource` creates kinds of custom resources; `homeostat/k8s/*` exports the built-in ones.

/** Metadata of an object as the server returns it. */
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

/** An item of metadata.ownerReferences. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata of a manifest. */
export interface Naming {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Metadata of an object to create, whose name the server generates: `{ generateName: "job-" }`. */
export interface GeneratedNaming extends Omit<Naming, "name"> {
  readonly name?: undefined;
  /** Prefix of the name. */
  readonly generateName: string;
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
 * A kind of objects. `O` is the object as read, `M` the manifest to write, `S` the status that a
 * controller may set, `C` the condition types. `~types` does not exist at run time.
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

/** An object of a kind, as read. */
export type ObjectOf<K extends Kind> = K["~types"]["object"];
/** A manifest of a kind, as written. */
export type ManifestOf<K extends Kind> = K["~types"]["manifest"];
/** The status that a controller of a kind may set. */
export type StatusOf<K extends Kind> = K["~types"]["status"];
/** The condition types of a kind. */
export type ConditionOf<K extends Kind> = K["~types"]["condition"];

/**
 * A manifest for creation: the server can generate the name, and the client fills in apiVersion and
 * kind.
 */
export type CreateManifestOf<K extends Kind> = Creatable<ManifestOf<K>>;

type Creatable<M> = M extends {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  readonly metadata: Naming;
}
  ? Omit<M, "apiVersion" | "kind" | "metadata"> & {
      readonly apiVersion?: M["apiVersion"];
      readonly kind?: M["kind"];
      readonly metadata: Naming | GeneratedNaming;
    }
  : M;
