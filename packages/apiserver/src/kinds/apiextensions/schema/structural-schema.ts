// Validates that a schema is structural: every node has a type, allOf, anyOf, oneOf and not hold
// value validations only, and constrain only what the outer schema defines.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{convert,validation,complete}.go.
import { compareBytewise, equalJson, type Json } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { goPatternFault } from "../../../schema/formats/go-pattern.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { completenessErrors } from "./structural-completeness.ts";

type Level = "root" | "item" | "field";

const intOrStringBranches: Json = [{ type: "integer" }, { type: "string" }];
const sameBranches = (branches: readonly JsonSchemaProps[] | undefined): boolean =>
  branches !== undefined && equalJson(branches as unknown as Json, intOrStringBranches);

/** Every violation, sorted by its text as upstream's. `path` is that of the schema. */
export function validateStructural(schema: JsonSchemaProps, path: string): FieldError[] {
  const errors = [...invariantErrors(schema, "root", path), ...completenessErrors(schema, path)];
  return errors.sort((a, b) => compareBytewise(`${a.field}: ${a.body}`, `${b.field}: ${b.body}`));
}

function invariantErrors(s: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const items = singleItems(s);
  const additional = s.additionalProperties;
  return [
    ...errorIf(s.type === "array" && !items, () =>
      fieldError.required(`${path}.items`, "must be specified"),
    ),
    ...(items ? invariantErrors(items, "item", `${path}.items`) : []),
    ...propertiesOf(s).flatMap(([name, child]) =>
      invariantErrors(child, "field", `${path}.properties[${name}]`),
    ),
    ...errorIf(additional !== undefined && level === "root", () =>
      fieldError.forbidden(`${path}.additionalProperties`, "must not be used at the root"),
    ),
    ...(typeof additional === "object"
      ? invariantErrors(additional, "field", `${path}.additionalProperties`)
      : []),
    ...extensionErrors(s, path),
    ...valueErrors(
      s,
      { skipAnyOf: sameBranches(s.anyOf), skipFirstAllOf: sameBranches(s.allOf?.[0]?.anyOf) },
      path,
    ),
    ...typeErrors(s, level, path),
    ...metaErrors(s, level, path),
  ];
}

function extensionErrors(s: JsonSchemaProps, path: string): FieldError[] {
  if (!s["x-kubernetes-int-or-string"]) return [];
  const text = "must be false if x-kubernetes-int-or-string is true";
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
    .filter((name) => s[name])
    .map((name) => fieldError.invalid(`${path}.${name}`, true, text));
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeErrors(s: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const embedded = s["x-kubernetes-embedded-resource"] === true;
  const errors: FieldError[] = [];
  if (embedded && s.type !== "object") {
    const text = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(
      s.type
        ? fieldError.invalid(`${path}.type`, s.type, text)
        : fieldError.required(`${path}.type`, text),
    );
  } else if (
    !s.type &&
    !s["x-kubernetes-int-or-string"] &&
    !s["x-kubernetes-preserve-unknown-fields"]
  )
    errors.push(fieldError.required(`${path}.type`, emptyType[level]));
  if (embedded && s.additionalProperties !== undefined)
    errors.push(
      fieldError.forbidden(
        `${path}.additionalProperties`,
        "must not be used if x-kubernetes-embedded-resource is set",
      ),
    );
  if (level === "root" && s.type && s.type !== "object")
    errors.push(fieldError.invalid(`${path}.type`, s.type, "must be object at the root"));
  return errors;
}

function metaErrors(s: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const embedded = s["x-kubernetes-embedded-resource"] === true;
  const checked = level === "root" || embedded;
  const errors: FieldError[] = [];
  for (const name of checked ? (["kind", "apiVersion"] as const) : []) {
    const child = s.properties?.[name];
    if (child && child.type !== "string")
      errors.push(
        fieldError.invalid(`${path}.properties[${name}].type`, child.type ?? "", "must be string"),
      );
  }
  const metadata =
    s.properties && Object.hasOwn(s.properties, "metadata") ? s.properties["metadata"] : undefined;
  if (metadata && checked && metadata.type !== "object")
    errors.push(
      fieldError.invalid(
        `${path}.properties[metadata].type`,
        metadata.type ?? "",
        "must be object",
      ),
    );
  if (metadata && level === "root" && constrainsMoreThanNames(metadata))
    errors.push(
      fieldError.forbidden(
        `${path}.properties[metadata]`,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  if (embedded && !s["x-kubernetes-preserve-unknown-fields"] && !propertiesOf(s).length)
    errors.push(
      fieldError.required(
        `${path}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  return errors;
}

function constrainsMoreThanNames(metadata: JsonSchemaProps): boolean {
  const others = Object.keys(metadata).filter(
    (key) => key !== "type" && key !== "default" && key !== "properties",
  );
  return (
    others.length > 0 ||
    propertiesOf(metadata).some(([name]) => name !== "name" && name !== "generateName")
  );
}

interface Skips {
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOf: boolean;
}
const skipNothing: Skips = { skipAnyOf: false, skipFirstAllOf: false };

function valueErrors(s: JsonSchemaProps, skips: Skips, path: string): FieldError[] {
  const pattern = s.pattern ? goPatternFault(s.pattern) : undefined;
  return [
    ...(skips.skipAnyOf
      ? []
      : eachItem(s.anyOf, `${path}.anyOf`, (branch, at) => nestedErrors(branch, skipNothing, at))),
    ...eachItem(s.allOf, `${path}.allOf`, (branch, at, i) =>
      nestedErrors(
        branch,
        { skipAnyOf: skips.skipFirstAllOf && i === 0, skipFirstAllOf: false },
        at,
      ),
    ),
    ...eachItem(s.oneOf, `${path}.oneOf`, (branch, at) => nestedErrors(branch, skipNothing, at)),
    ...(s.not ? nestedErrors(s.not, skipNothing, `${path}.not`) : []),
    ...errorIf(pattern !== undefined, () =>
      fieldError.invalid(
        `${path}.pattern`,
        s.pattern!,
        `must be a valid regular expression, but isn't: ${pattern}`,
      ),
    ),
  ];
}

/** Fields that are forbidden inside a logical branch, and what the message says they must be. */
const forbiddenInBranches: readonly (readonly [keyof JsonSchemaProps, string])[] = [
  ["type", "empty"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
];

function nestedErrors(s: JsonSchemaProps, skips: Skips, path: string): FieldError[] {
  const items = singleItems(s);
  return [
    ...valueErrors(s, skips, path),
    ...(items ? nestedErrors(items, skipNothing, `${path}.items`) : []),
    ...propertiesOf(s).flatMap(([name, child]) =>
      nestedErrors(child, skipNothing, `${path}.properties[${name}]`),
    ),
    ...errorIf(s.additionalProperties, () =>
      fieldError.forbidden(`${path}.additionalProperties`, "must be undefined to be structural"),
    ),
    ...forbiddenInBranches
      .filter(([name]) =>
        name === "default" ? s.default !== undefined && s.default !== null : isSet(s[name]),
      )
      .map(([name, wanted]) =>
        fieldError.forbidden(`${path}.${name}`, `must be ${wanted} to be structural`),
      ),
    ...errorIf(s.properties && Object.hasOwn(s.properties, "metadata"), () =>
      fieldError.forbidden(
        `${path}.properties[metadata]`,
        "must not be specified in a nested context",
      ),
    ),
  ];
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

function singleItems(s: JsonSchemaProps): JsonSchemaProps | undefined {
  return s.items && !Array.isArray(s.items) ? (s.items as JsonSchemaProps) : undefined;
}

function propertiesOf(s: JsonSchemaProps): readonly (readonly [string, JsonSchemaProps])[] {
  return Object.entries(s.properties ?? {}).sort(([a], [b]) => compareBytewise(a, b));
}
