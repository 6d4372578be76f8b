// Converts a user's schema to a structural schema, strictly. Standard JSON Schema provides the
// structure; anything that has no structural form, or would be dropped silently, is rejected with
// path, reason and remedy. Collects all faults.
import { HomeostatError } from "../../util/homeostat-error.ts";
import { equalJson, isObject, type Json, type JsonObject } from "../json.ts";
import type { StructuralSchema } from "./json-schema.ts";
import type { Schema } from "./schema.ts";
import type { SchemaFault } from "./schema-fault.ts";
import { zodFaults } from "./zod-faults.ts";

/** Keywords with the same meaning in both. */
const copied = [
  "type",
  "description",
  "title",
  "format",
  "default",
  "example",
  "enum",
  "nullable",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-int-or-string",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;
const structure = new Set<string>(["properties", "additionalProperties", "items", "anyOf"]);
/** Annotations that servers ignore. */
const dropped = new Set([
  "id",
  "$id",
  "$schema",
  "$comment",
  "examples",
  "readOnly",
  "writeOnly",
  "deprecated",
]);

/** Keywords that say nothing of the type. */
const besideAnyType = new Set(["description", "title", "default", "example", "nullable"]);

/** Converts `schema`, at `path` of `kind`. @throws ERR_SCHEMA_UNSUPPORTED with all faults. */
export function convertSchema(schema: Schema, kind: string, path: string): StructuralSchema {
  const faults: SchemaFault[] = [...zodFaults(schema, path)];
  const json = readJsonSchema(schema, kind, path);
  const converted = convert(json, path, faults);
  if (!equalJson(json, readJsonSchema(schema, kind, path)))
    faults.push({
      path,
      problem:
        "converting it twice gives two different results: a default is computed by a function",
      remedy: "use a constant default, or set the value in reconcile",
    });
  if (faults.length) throw unsupported(kind, faults);
  return converted;
}

function unsupported(kind: string, faults: readonly SchemaFault[]): HomeostatError {
  const lines = faults.map(({ path, problem, remedy }) => `  ${path}: ${problem}; ${remedy}`);
  return new HomeostatError(
    "ERR_SCHEMA_UNSUPPORTED",
    `the schema of ${kind} cannot be served by an API server:\n${lines.join("\n")}`,
    {
      hint: "change the places named above; the API server runs JSON structure and CEL rules, not JavaScript",
    },
  );
}

function readJsonSchema(schema: Schema, kind: string, path: string): JsonObject {
  const standard = schema["~standard"] as {
    readonly vendor: string;
    readonly jsonSchema?: { input(options: { target: string }): unknown };
  };
  if (!standard?.jsonSchema)
    throw new HomeostatError(
      "ERR_SCHEMA_NO_JSON_SCHEMA",
      `the schema at ${path} of ${kind} (vendor ${standard?.vendor ?? "unknown"}) does not offer Standard JSON Schema`,
      {
        hint: "use zod 4.2 or newer, or another library that implements Standard JSON Schema",
      },
    );
  try {
    return standard.jsonSchema.input({ target: "openapi-3.0" }) as JsonObject;
  } catch (cause) {
    throw new HomeostatError(
      "ERR_SCHEMA_UNSUPPORTED",
      `the schema at ${path} of ${kind} has no JSON form: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        hint: "use k.time() for dates, k.int64() for large integers, z.record() for maps",
        cause,
      },
    );
  }
}

/**
 * Servers compare whole numbers as int64, to which they convert the bound: 3.4e38 becomes the
 * lowest int64.
 * Upstream: k8s.io/kube-openapi/pkg/validation/validate/values.go (MaximumNativeType).
 */
const int64Limit = 2 ** 63;
const beyondInt64 = "beyond int64: a server would refuse every whole number";
const remedy = "use z.number(), or bounds within int64";

function convert(node: JsonObject, path: string, faults: SchemaFault[]): StructuralSchema {
  if (isUntyped(node)) return { ...pick(node), "x-kubernetes-preserve-unknown-fields": true };
  for (const key of Object.keys(node))
    if (!known(key))
      faults.push({ path, problem: unknownProblem(key), remedy: unknownRemedy(key) });
  const out: { -readonly [P in keyof StructuralSchema]: StructuralSchema[P] } = pick(node);
  for (const bound of ["minimum", "maximum"] as const) {
    const value = out[bound];
    if (typeof value !== "number" || Math.abs(value) <= int64Limit) continue;
    if (Math.abs(value) === Number.MAX_VALUE) delete out[bound];
    else faults.push({ path, problem: `its ${bound} is ${value}, ${beyondInt64}`, remedy });
  }
  if (node["anyOf"]) convertAnyOf(node, out, path, faults);
  if (isObject(node["properties"]))
    out.properties = Object.fromEntries(
      Object.entries(node["properties"]).map(([name, child]) => [
        name,
        convert(child as JsonObject, `${path}.${name}`, faults),
      ]),
    );
  const more = node["additionalProperties"];
  if (isObject(more)) convertAdditional(more, out, path, faults);
  if (isObject(node["items"])) out.items = convert(node["items"], `${path}[]`, faults);
  return out;
}

/** True for a node that allows values of any type: a server stores them only if it is told to. */
function isUntyped(node: JsonObject): boolean {
  if (node["x-kubernetes-int-or-string"]) return false;
  return Object.keys(node).every(
    (key) => dropped.has(key) || besideAnyType.has(key) || key.startsWith("x-"),
  );
}

/** Unions have no structural form, except the one of Kubernetes: an integer or a string. */
function convertAnyOf(
  node: JsonObject,
  out: { -readonly [P in keyof StructuralSchema]: StructuralSchema[P] },
  path: string,
  faults: SchemaFault[],
): void {
  const kinds = (node["anyOf"] as JsonObject[]).map((branch) => branch["type"]);
  if (
    node["x-kubernetes-int-or-string"] === true &&
    kinds.length === 2 &&
    kinds.includes("integer") &&
    kinds.includes("string")
  ) {
    delete out.type;
    return;
  }
  faults.push({
    path,
    problem: "a union has no structural form",
    remedy:
      "use one object with optional fields and k.rule(…), z.enum for constants, or k.intOrString()",
  });
}

/** An object with known fields that allows others preserves them; a record types them. */
function convertAdditional(
  more: JsonObject,
  out: { -readonly [P in keyof StructuralSchema]: StructuralSchema[P] },
  path: string,
  faults: SchemaFault[],
): void {
  if (Object.keys(more).length === 0) {
    out["x-kubernetes-preserve-unknown-fields"] = true;
    return;
  }
  if (out.properties && Object.keys(out.properties).length > 0)
    faults.push({
      path,
      problem:
        "known fields and typed unknown fields (catchall) exclude each other in a structural schema",
      remedy: "move the unknown ones into a z.record() field of their own",
    });
  else {
    delete out.properties;
    out.additionalProperties = convert(more, `${path}.*`, faults);
  }
}

function pick(node: JsonObject): { -readonly [P in keyof StructuralSchema]: StructuralSchema[P] } {
  const out: Record<string, Json> = {};
  for (const key of copied) if (node[key] !== undefined) out[key] = node[key];
  if (
    out["type"] === undefined &&
    Array.isArray(out["enum"]) &&
    out["enum"].every((value) => typeof value === "string")
  )
    out["type"] = "string";
  return out as StructuralSchema;
}

const known = (key: string): boolean =>
  (copied as readonly string[]).includes(key) || structure.has(key) || dropped.has(key);

function unknownProblem(key: string): string {
  if (key === "oneOf" || key === "allOf")
    return `${key} (a union or an intersection of alternatives) has no structural form`;
  if (key === "not") return "z.never() can hold no value";
  if (key === "$ref" || key === "definitions" || key === "$defs")
    return "a schema that refers to itself cannot be served";
  return `the JSON Schema keyword ${key} is not known to an API server`;
}

function unknownRemedy(key: string): string {
  if (key === "oneOf" || key === "allOf")
    return "use one object with optional fields and k.rule(…)";
  if (key === "not") return "remove the field";
  if (key === "$ref" || key === "definitions" || key === "$defs")
    return "limit the depth by hand, or use z.unknown() for the inner part";
  return "remove it, or express it as k.rule(…)";
}
