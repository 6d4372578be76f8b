// Defines a custom resource: one value is schema, manifest builder, the client's type argument and
// the source of the CRD. Published types do not depend on a schema library, so that hovers and
// errors show plain TypeScript.
import { HomeostatError } from "../../util/homeostat-error.ts";
import { formatApiVersion, type GroupVersionKind, type ResourceNames } from "../gvk.ts";
import type { Condition, Kind, Metadata, Naming } from "../kind.ts";
import { checkResourceOptions } from "./check-resource-options.ts";
import { convertSchema } from "./convert-schema.ts";
import type { StructuralSchema, ValidationRule } from "./json-schema.ts";
import type { In, Out, Schema, View, Wire } from "./schema.ts";

/**
 * An object of a custom resource, as read. All fields of status are optional on read, whatever the
 * schema says.
 */
export interface Custom<N extends string, Spec, Status, C extends string> {
  readonly apiVersion: string;
  readonly kind: N;
  readonly metadata: Metadata;
  readonly spec: View<Spec>;
  readonly status: View<Partial<Status>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<C>[];
  };
}

/** An object of a custom resource, as written. */
export interface Manifest<N extends string, Spec> {
  readonly apiVersion: string;
  readonly kind: N;
  readonly metadata: Naming;
  readonly spec: Spec;
}

/** A printer column after `defineResource` has resolved it. */
export interface ResourceColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
}

/**
 * The definition of a resource, independent of the schema library. The source of CRDs, RBAC and
 * documentation.
 */
export interface ResourceDefinition extends GroupVersionKind, ResourceNames {
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly spec: StructuralSchema;
  /** Without conditions and observedGeneration, which are implied. */
  readonly status?: StructuralSchema;
  readonly conditions: readonly string[];
  readonly columns: readonly ResourceColumn[];
  readonly name?: { readonly maxLength?: number; readonly pattern?: string };
  /** CEL rules over the whole object; of metadata they can use name and generateName. */
  readonly rules: readonly ValidationRule[];
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  readonly selectableFields: readonly string[];
}

/** A custom resource: a {@link Kind}, and a function that builds manifests. */
export interface Resource<N extends string, Write, Read, Status, C extends string> extends Kind<
  Custom<N, Read, Status, C>,
  Manifest<N, Write>,
  Status,
  C
> {
  readonly kind: N;
  readonly definition: ResourceDefinition;
  /** Builds a manifest, e.g. `Meal("lunch", { dish: "soup" })`. */
  (naming: string | Naming, spec: Write): Manifest<N, Write>;
}

/** Options of `defineResource`. */
export interface ResourceOptions<
  N extends string,
  Spec extends Schema,
  Status extends Schema,
  C extends string,
> {
  /** API group, e.g. `kitchen.example.com`. */
  readonly group: string;
  /** e.g. `v1alpha1`. */
  readonly version: string;
  readonly kind: N;
  /** Default: the English plural of the kind, in lower case. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default "Namespaced". */
  readonly scope?: "Namespaced" | "Cluster";
  readonly spec: Wire<Spec>;
  readonly status?: Wire<Status>;
  /** The closed set of condition types; a typo does not compile. */
  readonly conditions?: readonly C[];
  /** Printer columns: a path, or a condition's status. An `Age` column is added. */
  readonly columns?: { readonly [title: string]: `.${string}` | `condition:${NoInfer<C>}` };
  /** Rule for metadata.name, from `k.name(…)`. */
  readonly name?: { readonly maxLength?: number; readonly pattern?: string };
  /** CEL rules over the whole object. */
  readonly rules?: readonly ValidationRule[];
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  /** Fields that field selectors may use, e.g. `.spec.chef`. */
  readonly selectableFields?: readonly `.${string}`[];
}

const known = [
  "group",
  "version",
  "kind",
  "plural",
  "shortNames",
  "categories",
  "scope",
  "spec",
  "status",
  "conditions",
  "columns",
  "name",
  "rules",
  "scale",
  "selectableFields",
] as const satisfies readonly (keyof ResourceOptions<string, Schema, Schema, string>)[];

/**
 * Defines a custom resource.
 * @throws ERR_RESOURCE_NAME for a malformed group, version or kind; ERR_RESOURCE_COLUMN for a
 * column whose path does not exist;
 * ERR_SCHEMA_UNSUPPORTED and ERR_SCHEMA_NO_JSON_SCHEMA for schemas that an API server cannot
 * evaluate.
 */
export function defineResource<
  const N extends string,
  Spec extends Schema,
  Status extends Schema = Schema<never, never>,
  const C extends string = never,
>(options: ResourceOptions<N, Spec, Status, C>): Resource<N, In<Spec>, Out<Spec>, Out<Status>, C> {
  checkResourceOptions(options, known);
  const definition = toDefinition(
    options as unknown as ResourceOptions<string, Schema, Schema, string>,
  );
  const apiVersion = formatApiVersion(definition);
  const build = (naming: string | Naming, spec: unknown) => ({
    apiVersion,
    kind: definition.kind,
    metadata: typeof naming === "string" ? { name: naming } : naming,
    spec,
  });
  return Object.freeze(
    Object.assign(build, {
      apiVersion,
      kind: definition.kind,
      resource: definition.plural,
      scope: definition.scope,
      definition,
    }),
  ) as never;
}

function toDefinition(
  options: ResourceOptions<string, Schema, Schema, string>,
): ResourceDefinition {
  const { group, version, kind } = options;
  const spec = convertSchema(options.spec as Schema, kind, "spec");
  if (spec.type !== "object" && !spec["x-kubernetes-preserve-unknown-fields"])
    throw new HomeostatError(
      "ERR_RESOURCE_SHAPE",
      `defining ${kind}: spec must be an object, got ${spec.type ?? "a value of any type"}`,
      { hint: "use z.object({ … })" },
    );
  const status = options.status
    ? withoutRequired(convertSchema(options.status as Schema, kind, "status"))
    : undefined;
  const conditions = options.conditions ?? [];
  return {
    group,
    version,
    kind,
    plural: options.plural ?? pluralize(kind.toLowerCase()),
    singular: kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    scope: options.scope ?? "Namespaced",
    spec,
    ...(status ? { status } : {}),
    conditions,
    columns: Object.entries(options.columns ?? {}).map(([name, path]) =>
      toColumn(name, path, kind, { spec, ...(status ? { status } : {}) }),
    ),
    ...(options.name ? { name: options.name } : {}),
    rules: options.rules ?? [],
    ...(options.scale ? { scale: options.scale } : {}),
    selectableFields: options.selectableFields ?? [],
  };
}

/**
 * Makes all top-level fields of status optional, so that a first write of conditions alone is
 * valid.
 */
function withoutRequired(schema: StructuralSchema): StructuralSchema {
  const { required: _, ...rest } = schema;
  return rest;
}

function toColumn(
  name: string,
  path: string,
  kind: string,
  roots: { readonly spec: StructuralSchema; readonly status?: StructuralSchema },
): ResourceColumn {
  if (path.startsWith("condition:"))
    return {
      name,
      type: "string",
      jsonPath: `.status.conditions[?(@.type=="${path.slice("condition:".length)}")].status`,
    };
  const schema = resolvePath(path, roots);
  if (schema === "unknown")
    throw new HomeostatError(
      "ERR_RESOURCE_COLUMN",
      `defining ${kind}: column "${name}" shows ${path}, which its schema does not have`,
      { hint: "name a field of spec, status or metadata" },
    );
  return { name, type: columnType(schema), jsonPath: path };
}

/**
 * The schema at a simple path; undefined for paths that are more than field names, "unknown" for
 * paths that do not exist.
 */
function resolvePath(
  path: string,
  roots: { readonly spec: StructuralSchema; readonly status?: StructuralSchema },
): StructuralSchema | "unknown" | undefined {
  if (!/^(\.[A-Za-z_][A-Za-z0-9_]*)+$/.test(path)) return undefined;
  const [root, ...rest] = path.slice(1).split(".") as [string, ...string[]];
  if (root === "metadata")
    return rest[0] === "creationTimestamp" || rest[0] === "deletionTimestamp"
      ? { type: "string", format: "date-time" }
      : undefined;
  if (root === "status" && (rest[0] === "conditions" || rest[0] === "observedGeneration"))
    return rest[0] === "observedGeneration" ? { type: "integer" } : undefined;
  let at = root === "spec" || root === "status" ? roots[root] : undefined;
  for (const name of rest) {
    if (at?.["x-kubernetes-preserve-unknown-fields"]) return undefined;
    at = at?.properties?.[name] ?? at?.additionalProperties;
  }
  return at ?? "unknown";
}

function columnType(schema: StructuralSchema | undefined): ResourceColumn["type"] {
  if (schema?.format === "date-time") return "date";
  return schema?.type === "integer" || schema?.type === "number" || schema?.type === "boolean"
    ? schema.type
    : "string";
}

/** English plural as code generators form it: dish → dishes, policy → policies, meal → meals. */
function pluralize(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
