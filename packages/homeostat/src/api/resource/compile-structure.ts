// Whether an object has the structure that its definition promises: JSON types, required fields and
// enums, on which code that reads it relies. A cluster may serve others: its definition can be
// older or looser. Bounds, patterns and rules are not checked: they guard writes, and objects from
// before a rule are still served (k8s.io/apiextensions-apiserver/pkg/apiserver/validation/
// ratcheting.go). A field with a default is not required. In doubt a value fits. Pure.
import { equalJson, isObject, type Json, type JsonObject } from "../json.ts";
import { hasStatus } from "./custom-resource-definition.ts";
import type { ResourceDefinition } from "./define-resource.ts";
import type { StructuralSchema } from "./json-schema.ts";

/** How an object differs from its definition. */
export interface Mismatch {
  /** E.g. `spec.replicas: expected an integer, found the string "three"`. */
  readonly message: string;
  /** False when only its status differs. */
  readonly isInSpec: boolean;
}

/** Finds how an object differs; undefined when it matches. */
export type MatchStructure = (object: unknown) => Mismatch | undefined;

interface Fault {
  /** Below the value that was checked, e.g. `.dishes[1].name`. */
  path: string;
  readonly expected: string;
  readonly found: unknown;
}

/** What is checked of a value. */
interface Node {
  readonly type: StructuralSchema["type"] | "int-or-string";
  /** Of values that fit already: `string` and `boolean` without an enum. */
  readonly fitting: string | undefined;
  readonly nullable: boolean;
  readonly hasFormat: boolean;
  readonly values: readonly Json[] | undefined;
  readonly members: readonly Member[];
  /** Of the values of a map, or the items of a list; undefined where every value fits. */
  readonly inner: Node | undefined;
}

interface Member {
  readonly name: string;
  readonly path: string;
  readonly isRequired: boolean;
  /** Every object has a property of this name. */
  readonly isInherited: boolean;
  /** Undefined where every value fits. */
  readonly node: Node | undefined;
}

const limits = {
  /** Faults that are looked for in one list or map. */
  found: 10,
  /** Those that a message names. */
  named: 3,
  /** Values of an enum that a message names. */
  values: 10,
};

/**
 * Compiles the structure of a definition. An object without status matches; all top-level fields of
 * a status are optional. Beside a wrong spec no status is judged: the condition that names the spec
 * is written into it, and would name what that write has mended.
 */
export function compileStructure(definition: ResourceDefinition): MatchStructure {
  const [specNode, statusNode] = [compile(definition.spec), compile(statusOf(definition))];
  return (object) => {
    if (!isObject(object as Json)) return undefined;
    const { spec: wanted, status: said } = object as JsonObject;
    const faults: Fault[] = [];
    if (wanted === undefined) faults.push({ path: ".spec", expected: "a value", found: wanted });
    else if (specNode) checkBelow(specNode, wanted, ".spec", faults);
    const isInSpec = faults.length > 0;
    if (!isInSpec && statusNode && said !== undefined && said !== null)
      checkBelow(statusNode, said, ".status", faults);
    return faults.length === 0 ? undefined : { message: describe(faults), isInSpec };
  };
}

/** Of conditions, which any controller may write, only what code cannot do without. */
function statusOf(definition: ResourceDefinition): StructuralSchema {
  if (!hasStatus(definition)) return {};
  const own = definition.status ?? { type: "object" };
  const conditions: StructuralSchema = { type: "array", items: { type: "object" } };
  return { ...own, properties: { conditions, ...own.properties } };
}

/** Undefined where every value fits. */
function compile(schema: StructuralSchema): Node | undefined {
  const { enum: values, items, additionalProperties, nullable = false } = schema;
  const type = schema["x-kubernetes-int-or-string"] ? "int-or-string" : schema.type;
  if (!type && !values) return undefined;
  const inner = type === "array" ? items : additionalProperties;
  return {
    type,
    fitting: (type === "string" || type === "boolean") && !values ? type : undefined,
    nullable,
    hasFormat: schema.format !== undefined,
    values,
    members: type === "object" ? membersOf(schema) : [],
    inner: inner && compile(inner),
  };
}

/** The fields that are to be looked at. */
function membersOf({ properties = {}, required = [] }: StructuralSchema): readonly Member[] {
  const names = new Set([...Object.keys(properties), ...required]);
  return [...names].flatMap((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const node = schema && compile(schema);
    const isRequired = required.includes(name) && schema?.default === undefined;
    return node || isRequired
      ? [{ name, path: `.${name}`, node, isRequired, isInherited: name in Object.prototype }]
      : [];
  });
}

/** Adds the faults of a value. */
function check(node: Node, value: unknown, faults: Fault[]): void {
  if (value === null && node.nullable) return;
  const expected = checkType(node, value, faults);
  const { values } = node;
  if (expected !== undefined) faults.push({ path: "", expected, found: value });
  else if (values && !values.some((one) => equalJson(one, value as Json))) {
    const texts = values.slice(0, limits.values).map((one) => JSON.stringify(one));
    const more = values.length > limits.values ? ", …" : "";
    faults.push({ path: "", expected: `one of ${texts.join(", ")}${more}`, found: value });
  }
}

/** Adds the faults below the value; returns what was expected in its place. */
function checkType(node: Node, value: unknown, faults: Fault[]): string | undefined {
  switch (node.type) {
    case "object":
      if (typeof value !== "object" || value === null || Array.isArray(value)) return "an object";
      checkFields(node, value as Readonly<Record<string, unknown>>, faults);
      return undefined;
    case "array":
      if (!Array.isArray(value)) return "a list";
      if (node.inner) checkItems(node.inner, value, faults);
      return undefined;
    case "string":
      return typeof value === "string" || isListOfFormat(node, value) ? undefined : "a string";
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "integer":
      return isInteger(value) ? undefined : "an integer";
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? undefined : "a number";
    case "int-or-string":
      return typeof value === "string" || isInteger(value) ? undefined : "an integer or a string";
    default:
      return undefined;
  }
}

/**
 * The server leaves the types of texts with a format to that format, which knows nothing of lists
 * (k8s.io/kube-openapi/pkg/validation/validate/type.go).
 */
const isListOfFormat = ({ hasFormat }: Node, value: unknown): boolean =>
  hasFormat && Array.isArray(value);

/** The server takes a number for an integer that is one to nine digits (swag, convert.go). */
function isInteger(value: unknown): boolean {
  if (typeof value !== "number") return typeof value === "bigint";
  return Number.isInteger(value) || Math.abs(value % 1) < Math.abs(value) * 1e-8;
}

function checkFields(
  { members, inner }: Node,
  fields: Readonly<Record<string, unknown>>,
  faults: Fault[],
): void {
  for (const { name, path, node, isRequired, isInherited } of members) {
    const value = isInherited && !Object.hasOwn(fields, name) ? undefined : fields[name];
    if (value === undefined) {
      if (isRequired) faults.push({ path, expected: "a value", found: value });
    } else if (node && typeof value !== node.fitting) checkBelow(node, value, path, faults);
  }
  if (!inner) return;
  for (const name of Object.keys(fields)) {
    if (faults.length >= limits.found) return;
    checkBelow(inner, fields[name], `[${name}]`, faults);
  }
}

function checkItems(node: Node, items: readonly unknown[], faults: Fault[]): void {
  for (let i = 0; i < items.length && faults.length < limits.found; i++)
    checkBelow(node, items[i], i, faults);
}

function checkBelow(node: Node, value: unknown, at: string | number, faults: Fault[]): void {
  const before = faults.length;
  check(node, value, faults);
  if (faults.length === before) return;
  const path = typeof at === "number" ? `[${at}]` : at;
  for (const fault of faults.slice(before)) fault.path = path + fault.path;
}

function describe(faults: readonly Fault[]): string {
  const named = faults
    .slice(0, limits.named)
    .map(
      ({ path, expected, found }) =>
        `${path.slice(1)}: expected ${expected}, found ${nameOf(found)}`,
    );
  return [...named, ...(faults.length > limits.named ? ["and more"] : [])].join("; ");
}

const maxShown = 60;

function nameOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return `the string ${JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value)}`;
}
