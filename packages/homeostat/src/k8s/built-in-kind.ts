// What the values and models of `homeostat/k8s/*` share: names and a scope for the runtime, types
// for the compiler, and a function that builds manifests. Knows no kind in particular.
import type { Kind, Metadata, Naming } from "../api/kind.ts";
import type { ListMeta } from "./meta/v1/models.ts";
import type { ListItem } from "./wire-types.ts";

interface Identified {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What all objects of built-in kinds have when they are read. */
export interface BuiltInObject<V extends string, K extends string> {
  readonly apiVersion: V;
  readonly kind: K;
  readonly metadata: Metadata;
}

/**
 * The manifest of an object, without its metadata: no status. `Optional` names the fields that
 * the server always returns and a manifest may leave out.
 */
export type AsWritten<O extends Identified, Optional extends keyof O = never> = Omit<
  O,
  "metadata" | "status" | Optional
> &
  Partial<Pick<O, Optional>>;

/** A list of objects of one kind. */
export interface ListOf<O extends Identified> {
  readonly apiVersion: O["apiVersion"];
  readonly kind: `${O["kind"]}List`;
  readonly metadata: ListMeta;
  readonly items: readonly ListItem<O>[];
}

/** The fields of a manifest that a builder is given; no argument where none is required. */
type Fields<M> = Omit<M, "apiVersion" | "kind" | "metadata">;
type FieldsArgument<M> = {} extends Fields<M> ? [fields?: Fields<M>] : [fields: Fields<M>];

/** A built-in kind: a {@link Kind}, and a function that builds manifests. */
export interface BuiltInKind<O, M, S = never, C extends string = never> extends Kind<O, M, S, C> {
  /** A manifest, e.g. `ConfigMap("settings", { data: { colour: "blue" } })`. */
  (naming: string | Naming, ...fields: FieldsArgument<M>): M;
}

/** A kind that is created and never stored: the answer is in the status of what comes back. */
export interface ReviewKind<O, M extends { readonly metadata: object }> extends Kind<
  O,
  M,
  never,
  never
> {
  /** A manifest, e.g. `TokenReview({ spec: { token } })`. */
  (fields: Fields<M> & { readonly metadata?: M["metadata"] }): M;
}

/** A function that creates one of `Kinds` from its names. */
type Create<Kinds> = <N extends keyof Kinds & string>(kind: N, resource: string) => Kinds[N];

/** Functions that create the kinds of one group version. */
interface BuiltInKinds<Kinds> {
  readonly namespaced: Create<Kinds>;
  readonly cluster: Create<Kinds>;
  /** The kind is created and never stored. */
  readonly namespacedReview: Create<Kinds>;
  readonly clusterReview: Create<Kinds>;
}

/** `Kinds` are the types of the kinds of one group version, by name. */
export function builtInKinds<Kinds>(apiVersion: string): BuiltInKinds<Kinds> {
  const stored = (scope: Scope) => (kind: string, resource: string) => {
    const build = (naming: string | Naming, fields?: object) => ({
      apiVersion,
      kind,
      metadata: typeof naming === "string" ? { name: naming } : naming,
      ...fields,
    });
    return Object.freeze(Object.assign(build, { apiVersion, kind, resource, scope })) as never;
  };
  const created = (scope: Scope) => (kind: string, resource: string) => {
    const build = (fields: object) => ({ apiVersion, kind, metadata: {}, ...fields });
    return Object.freeze(Object.assign(build, { apiVersion, kind, resource, scope })) as never;
  };
  return {
    namespaced: stored("Namespaced"),
    cluster: stored("Cluster"),
    namespacedReview: created("Namespaced"),
    clusterReview: created("Cluster"),
  };
}

type Scope = Kind["scope"];
