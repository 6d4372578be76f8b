// What the values of `homeostat/k8s/*` are: names and a scope for the runtime, types for the
// compiler, and a function that builds manifests. Knows no kind in particular.
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

type Scope = Kind["scope"];

/** A built-in kind from its names. */
export function builtInKind<O, M, S = never, C extends string = never>(
  apiVersion: string,
  kind: string,
  resource: string,
  scope: Scope,
): BuiltInKind<O, M, S, C> {
  const build = (naming: string | Naming, fields?: object) => ({
    apiVersion,
    kind,
    metadata: typeof naming === "string" ? { name: naming } : naming,
    ...fields,
  });
  return Object.freeze(Object.assign(build, { apiVersion, kind, resource, scope })) as never;
}

/** A kind that is only created, from its names. */
export function reviewKind<O, M extends { readonly metadata: object }>(
  apiVersion: string,
  kind: string,
  resource: string,
  scope: Scope,
): ReviewKind<O, M> {
  const build = (fields: object) => ({ apiVersion, kind, metadata: {}, ...fields });
  return Object.freeze(Object.assign(build, { apiVersion, kind, resource, scope })) as never;
}
