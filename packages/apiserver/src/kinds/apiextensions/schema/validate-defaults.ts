// Validates default values against the schema that they belong to: no unknown fields, valid
// metadata, valid values, and the rules at and below them.
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/{validation,surroundingobject}.go.
import {
  cloneJson,
  compareBytewise,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
} from "homeostat/api";
import { aggregate, formatFieldError } from "../../../apimachinery/errors/aggregate.ts";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { compileSchema } from "../../../schema/structural/compile-schema.ts";
import { coerceEmbeddedMetadata } from "../../../schema/objectmeta/coerce-embedded-metadata.ts";
import type { MetadataDecoder } from "../../../schema/objectmeta/read-metadata.ts";
import { validateEmbeddedMetadata } from "../../../schema/objectmeta/validate-embedded-metadata.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { pruneUnknown } from "../../../schema/pruning/prune-unknown.ts";
import type { CompiledRules } from "../../../schema/cel/compiled-rules.ts";
import type { SchemaNode } from "../../../schema/schema-node.ts";
import { validateSchema } from "../../../schema/validation/validate-schema.ts";

/** What validating defaults needs from the server. */
export interface DefaultChecks {
  readonly metadata: MetadataDecoder;
  /**
   * Rules of a schema and everything below it, as a whole resource or as a part of one; undefined
   * without any.
   */
  readonly compileRules: (
    schema: JsonSchemaProps,
    place: "resource" | "value",
  ) => CompiledRules | undefined;
}

/** Builds the resource around a value inside its metadata. */
type Surround = (value: Json) => JsonObject;

interface Place {
  readonly insideMeta: boolean;
  readonly root: SchemaNode;
  readonly surround: Surround;
}

const asResource: Surround = (value) => ({
  kind: "Validation",
  apiVersion: "validation/v1",
  ...(isObject(value) ? value : {}),
});

/** Violations of every default in a root schema, which must be structural. */
export function validateDefaults(
  schema: JsonSchemaProps,
  path: string,
  checks: DefaultChecks,
): FieldError[] {
  if (!hasDefaults(schema)) return [];
  const embedded = { ...schema, "x-kubernetes-embedded-resource": true };
  const root = compileSchema(embedded, "any type");
  return walk(root, path, { insideMeta: false, root, surround: asResource }, checks);
}

/** Whether the schema has a default anywhere. */
export function hasDefaults(schema: JsonSchemaProps): boolean {
  if (schema.default !== undefined && schema.default !== null) return true;
  const items =
    schema.items && !Array.isArray(schema.items) ? [schema.items as JsonSchemaProps] : [];
  const additional =
    typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
  return [...items, ...additional, ...Object.values(schema.properties ?? {})].some(hasDefaults);
}

function walk(node: SchemaNode, path: string, outer: Place, checks: DefaultChecks): FieldError[] {
  const at: Place =
    node.embedded && node !== outer.root
      ? { insideMeta: false, root: node, surround: asResource }
      : outer;
  const items = node.items
    ? walk(
        node.items,
        `${path}.items`,
        { ...at, surround: (inner) => at.surround([inner]) },
        checks,
      )
    : [];
  const names = [...node.propertyNames].sort(compareBytewise);
  const properties = names.flatMap((name) => {
    const meta = node.embedded && (name === "metadata" || name === "apiVersion" || name === "kind");
    return walk(
      node.properties!.get(name)!,
      `${path}.properties[${name}]`,
      {
        ...at,
        insideMeta: at.insideMeta || meta,
        surround: (inner) => at.surround({ [name]: inner }),
      },
      checks,
    );
  });
  return [...ownErrors(node, `${path}.default`, at, checks), ...items, ...properties];
}

function ownErrors(
  node: SchemaNode,
  path: string,
  at: Place,
  checks: DefaultChecks,
): readonly FieldError[] {
  const value = node.source.default as Json | undefined;
  if (value === undefined || value === null) return [];
  return at.insideMeta
    ? (metadataError(value, path, at, checks) ?? valueErrors(value, node, path, checks))
    : defaultErrors(value, node, path, checks);
}

function defaultErrors(
  value: Json,
  node: SchemaNode,
  path: string,
  checks: DefaultChecks,
): readonly FieldError[] {
  const pruned = cloneJson(value);
  pruneUnknown(pruned, node);
  const unknown = errorIf(!equalJson(pruned, value), () =>
    fieldError.invalid(path, value, "must not have unknown fields"),
  );
  const coerced = cloneJson(value);
  const fault = coerceEmbeddedMetadata(coerced, node, checks.metadata, []);
  if (fault) return [...unknown, below(path, fault)];
  const metadata = validateEmbeddedMetadata(coerced, node);
  return [
    ...unknown,
    ...(metadata.length
      ? metadata.map((error) => below(path, error))
      : valueErrors(value, node, path, checks)),
  ];
}

const below = (path: string, error: FieldError): FieldError => ({
  ...error,
  field: error.field ? `${path}.${error.field}` : path,
});

/** undefined when the value results in valid metadata. */
function metadataError(
  value: Json,
  path: string,
  at: Place,
  checks: DefaultChecks,
): readonly FieldError[] | undefined {
  const object = at.surround(cloneJson(value));
  const fault = coerceEmbeddedMetadata(object, at.root, checks.metadata, []);
  const errors = fault ? [fault] : validateEmbeddedMetadata(object, at.root);
  if (!errors.length) return undefined;
  const why = aggregate(errors.map(formatFieldError));
  return [fieldError.invalid(path, value, `must result in valid metadata: ${why}`)];
}

/**
 * Rules run as for an update without changes, and then as for a create: transition rules differ.
 */
function valueErrors(
  value: Json,
  node: SchemaNode,
  path: string,
  checks: DefaultChecks,
): readonly FieldError[] {
  const errors = validateSchema(value, node, { base: path });
  const rules = errors.length
    ? undefined
    : checks.compileRules(node.source, node.embedded ? "resource" : "value");
  if (!rules) return errors;
  const unchanged = rules.evaluate({ object: value, old: value, path }).errors;
  return unchanged.length ? unchanged : rules.evaluate({ object: value, path }).errors;
}
