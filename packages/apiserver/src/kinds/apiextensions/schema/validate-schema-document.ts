// Validates a schema's own fields, whether it is structural or not: forbidden constructs, types,
// lists and maps, and the fields of validation rules. Their expressions are compiled elsewhere.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (ValidateCustomResourceDefinitionOpenAPISchema, specStandardValidatorV3).
import { compareBytewise } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { validateListSchema } from "./validate-list-schema.ts";

/** Validates the `x-kubernetes-validations` of one node without compiling them. */
export type RuleFieldCheck = (schema: JsonSchemaProps, path: string) => readonly FieldError[];

/** Every violation of a schema. */
export interface SchemaFaults {
  readonly errors: readonly FieldError[];
  /** True if the node at this path, or one below, is at fault. */
  isFaulty(path: string): boolean;
}

/** The context of a node. */
interface NodeContext {
  readonly root: boolean;
  /** Inside apiVersion, kind or metadata, of the root or of an embedded resource. */
  readonly insideMeta: boolean;
  /** Why defaults are forbidden here; undefined where they are allowed. */
  readonly noDefaults?: string;
  readonly checkRuleFields: RuleFieldCheck;
  /** The paths of lists, whose errors may name their items. */
  readonly lists: Map<FieldError, string>;
}

const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);
const knownTypes = ["array", "boolean", "integer", "number", "object", "string"] as const;

/** Every violation in a root schema and below. */
export function validateSchemaDocument(
  schema: JsonSchemaProps,
  path: string,
  checkRuleFields: RuleFieldCheck,
): SchemaFaults {
  const lists = new Map<FieldError, string>();
  const errors = validate(schema, path, { root: true, insideMeta: false, checkRuleFields, lists });
  return {
    errors,
    isFaulty: (node) => errors.some((error) => (lists.get(error) ?? error.field).startsWith(node)),
  };
}

function validate(s: JsonSchemaProps, path: string, at: NodeContext): FieldError[] {
  const listErrors = validateListSchema(s, path);
  for (const error of listErrors) at.lists.set(error, path);
  return [
    ...constructErrors(s, path, at),
    ...errorIf(s.uniqueItems, () =>
      fieldError.forbidden(
        `${path}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    ),
    ...additionalErrors(s, path, at),
    ...propertyErrors(s, path, at),
    ...branches(s, path).flatMap(([child, childPath]) =>
      validate(child, childPath, { ...at, root: false }),
    ),
    ...extensionErrors(s, path),
    ...listErrors,
    ...at.checkRuleFields(s, path),
  ];
}

const unsupported: readonly (readonly [string, (s: JsonSchemaProps) => boolean])[] = [
  ["id", (s) => Boolean(s.id)],
  ["additionalItems", (s) => s.additionalItems !== undefined],
  ["patternProperties", (s) => Object.keys(s.patternProperties ?? {}).length > 0],
  ["definitions", (s) => Object.keys(s.definitions ?? {}).length > 0],
  ["dependencies", (s) => s.dependencies !== undefined],
  ["$ref", (s) => s.$ref !== undefined],
];

function constructErrors(s: JsonSchemaProps, path: string, at: NodeContext): FieldError[] {
  const hasDefault = s.default !== undefined && s.default !== null;
  return [
    ...errorIf(s.type && !(knownTypes as readonly string[]).includes(s.type), () =>
      fieldError.notSupported(`${path}.type`, s.type, knownTypes),
    ),
    ...errorIf(hasDefault && at.noDefaults !== undefined, () =>
      fieldError.forbidden(`${path}.default`, `must not be set ${at.noDefaults}`),
    ),
    ...unsupported
      .filter(([, isSet]) => isSet(s))
      .map(([name]) => fieldError.forbidden(`${path}.${name}`, `${name} is not supported`)),
    ...errorIf(s.type === "null", () =>
      fieldError.forbidden(
        `${path}.type`,
        "type cannot be set to null, use nullable as an alternative",
      ),
    ),
    ...errorIf(Array.isArray(s.items) && s.items.length, () =>
      fieldError.forbidden(`${path}.items`, "items must be a schema object and not an array"),
    ),
    ...errorIf(at.insideMeta && s["x-kubernetes-embedded-resource"], () =>
      fieldError.forbidden(
        `${path}.x-kubernetes-embedded-resource`,
        "must not be used inside of resource meta",
      ),
    ),
  ];
}

function additionalErrors(s: JsonSchemaProps, path: string, at: NodeContext): FieldError[] {
  const additional = s.additionalProperties;
  if (additional === undefined) return [];
  const both = Object.keys(s.properties ?? {}).length > 0 && additional !== true;
  const inside: NodeContext = at.insideMeta
    ? { ...at, root: false, noDefaults: "inside additionalProperties applying to object metadata" }
    : { ...at, root: false };
  return [
    ...errorIf(both, () =>
      fieldError.forbidden(
        `${path}.additionalProperties`,
        "additionalProperties and properties are mutual exclusive",
      ),
    ),
    ...(typeof additional === "object"
      ? validate(additional, `${path}.additionalProperties`, inside)
      : []),
  ];
}

function propertyErrors(s: JsonSchemaProps, path: string, at: NodeContext): FieldError[] {
  return Object.keys(s.properties ?? {})
    .sort(compareBytewise)
    .flatMap((name) => {
      const meta =
        (at.root || s["x-kubernetes-embedded-resource"] === true) && metaFields.has(name);
      const inside: NodeContext = {
        ...at,
        root: false,
        insideMeta: at.insideMeta || meta,
        ...(meta && at.root ? { noDefaults: `in top-level ${name}` } : {}),
      };
      return validate(s.properties![name]!, `${path}.properties[${name}]`, inside);
    });
}

type Child = readonly [schema: JsonSchemaProps, path: string];

function branches(s: JsonSchemaProps, path: string): Child[] {
  const list = (name: "allOf" | "oneOf" | "anyOf"): Child[] =>
    (s[name] ?? []).map((child, i) => [child, `${path}.${name}[${i}]`]);
  return [
    ...(s.not ? [[s.not, `${path}.not`] as const] : []),
    ...list("allOf"),
    ...list("oneOf"),
    ...list("anyOf"),
    ...Object.keys(s.definitions ?? {})
      .sort(compareBytewise)
      .map((name): Child => [s.definitions![name]!, `${path}.definitions[${name}]`]),
    ...itemSchemas(s, path),
    ...Object.keys(s.dependencies ?? {})
      .sort(compareBytewise)
      .flatMap((name): Child[] => {
        // Decoded, a null is neither a schema nor an array.
        const dependency: unknown = s.dependencies![name];
        return !dependency || Array.isArray(dependency)
          ? []
          : [[dependency as JsonSchemaProps, `${path}.dependencies[${name}]`]];
      }),
  ];
}

function itemSchemas(s: JsonSchemaProps, path: string): Child[] {
  if (!s.items) return [];
  return Array.isArray(s.items)
    ? s.items.map((child: JsonSchemaProps, i): Child => [child, `${path}.items[${i}]`])
    : [[s.items as JsonSchemaProps, `${path}.items`]];
}

function extensionErrors(s: JsonSchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (s["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(
      fieldError.invalid(
        `${path}.x-kubernetes-preserve-unknown-fields`,
        false,
        "must be true or undefined",
      ),
    );
  const mapType = s["x-kubernetes-map-type"];
  if (mapType === undefined) return errors;
  const text = "must be object if x-kubernetes-map-type is specified";
  if (s.type !== "object")
    errors.push(
      s.type
        ? fieldError.invalid(`${path}.type`, s.type, text)
        : fieldError.required(`${path}.type`, text),
    );
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(
      fieldError.notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]),
    );
  return errors;
}
