// What the values of `homeostat/k8s/*` are: names and a scope for the runtime, types for the
// compiler, and a function that builds manifests. Knows no kind in particular.
import type { Kind, Naming } from "../api/kind.ts";

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
