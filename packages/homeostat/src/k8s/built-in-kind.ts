// What the values of `homeostat/k8s/*` are: names and a scope for the runtime, types for the
// compiler, and a function that builds manifests. Knows no kind in particular.
import type { Kind, Naming } from "../api/kind.ts";

/** The fields of a manifest that a builder does not fill in. */
type FieldsOf<M, Filled extends string> = Omit<M, Filled>;

/** Optional as an argument where no field is required. */
type FieldsArgument<F> = {} extends F ? [fields?: F] : [fields: F];

/** A built-in kind: a {@link Kind}, and a function that builds manifests. */
export interface BuiltInKind<O, M, S = never, C extends string = never> extends Kind<O, M, S, C> {
  /** A manifest, e.g. `ConfigMap("settings", { data: { colour: "blue" } })`. */
  (
    naming: string | Naming,
    ...fields: FieldsArgument<FieldsOf<M, "apiVersion" | "kind" | "metadata">>
  ): M;
}

/** A kind that is a question: it is created, answered and never stored. */
export interface ReviewKind<O, M> extends Kind<O, M, never, never> {
  /** A question, e.g. `TokenReview({ metadata: {}, spec: { token } })`. */
  (fields: FieldsOf<M, "apiVersion" | "kind">): M;
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
export function reviewKind<O, M>(
  apiVersion: string,
  kind: string,
  resource: string,
  scope: Scope,
): ReviewKind<O, M> {
  const build = (fields: object) => ({ apiVersion, kind, ...fields });
  return Object.freeze(Object.assign(build, { apiVersion, kind, resource, scope })) as never;
}
