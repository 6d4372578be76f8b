// Accepts or refuses a value without allocating; nearly every request needs no more. Errors come
// from explain-value.ts, which must agree on every value; a property test compares the two.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate (schema.go, type.go, schema_props.go,
// object_validator.go, …).
import { type Json, type JsonObject } from "homeostat/api";
import { isEnumMember } from "./enum-members.ts";
import { acceptsNumber, isAlmostInteger } from "./number-rules.ts";
import { type SchemaNode, typeBits } from "../schema-node.ts";

/** Whether a value is valid, apart from CEL rules and list types. */
export function acceptsValue(value: Json, node: SchemaNode): boolean {
  if (node.enum !== undefined && !isEnumMember(value, node.enum)) return false;
  switch (typeof value) {
    case "string":
      return acceptsString(value, node) && (!node.hasLogic || acceptsLogic(value, node));
    case "number":
    case "bigint":
      return acceptsNumeric(value, node) && (!node.hasLogic || acceptsLogic(value, node));
    case "boolean":
      return acceptsType(node, typeBits.boolean) && (!node.hasLogic || acceptsLogic(value, node));
    default:
      if (value === null)
        return node.types === 0 || node.nullable || (node.types & typeBits.null) !== 0;
      return (
        (Array.isArray(value) ? acceptsItems(value, node) : acceptsMembers(value, node)) &&
        (!node.hasLogic || acceptsLogic(value, node))
      );
  }
}

function acceptsType(node: SchemaNode, bit: number): boolean {
  return node.types === 0 ? node.format === "" : (node.types & bit) !== 0;
}

function acceptsString(value: string, node: SchemaNode): boolean {
  // A string format stands in for the type.
  if (node.types !== 0 && (node.types & typeBits.string) === 0) return false;
  if (
    node.maxLength !== Infinity &&
    value.length > node.maxLength &&
    countCodePoints(value) > node.maxLength
  )
    return false;
  if (
    node.minLength > 0 &&
    (value.length < node.minLength || countCodePoints(value) < node.minLength)
  )
    return false;
  if (node.pattern !== undefined && !node.pattern.test(value)) return false;
  return node.checkFormat === undefined || node.checkFormat(value);
}

/** Unicode code points, as Go counts runes. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code >= 0xdc00 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    i++;
  }
  return count;
}

function acceptsNumeric(value: number | bigint, node: SchemaNode): boolean {
  if (node.types === 0 ? node.format !== "" : !acceptsNumericType(value, node.types)) return false;
  return !node.checksNumbers || acceptsNumber(value, node);
}

function acceptsNumericType(value: number | bigint, types: number): boolean {
  if ((types & typeBits.number) !== 0) return true;
  return (types & typeBits.integer) !== 0 && (typeof value === "bigint" || isAlmostInteger(value));
}

function acceptsItems(items: readonly Json[], node: SchemaNode): boolean {
  // Upstream accepts a list for a string with a format.
  const typed =
    node.types === 0 ||
    (node.types & typeBits.array) !== 0 ||
    (node.types === typeBits.string && node.format !== "");
  if (!typed || items.length > node.maxItems || items.length < node.minItems) return false;
  const item = node.items;
  if (item !== undefined)
    for (let i = 0; i < items.length; i++) if (!acceptsValue(items[i]!, item)) return false;
  return true;
}

function acceptsMembers(object: JsonObject, node: SchemaNode): boolean {
  if (!acceptsType(node, typeBits.object)) return false;
  const { required, propertyNames, propertyNodes } = node;
  for (let i = 0; i < required.length; i++) if (!Object.hasOwn(object, required[i]!)) return false;
  if (node.minProperties > 0 || node.maxProperties !== Infinity || node.additional !== undefined)
    return acceptsMap(object, node);
  for (let i = 0; i < propertyNames.length; i++) {
    const name = propertyNames[i]!;
    if (Object.hasOwn(object, name) && !acceptsValue(object[name]!, propertyNodes[i]!))
      return false;
  }
  return true;
}

function acceptsMap(object: JsonObject, node: SchemaNode): boolean {
  let size = 0;
  for (const key in object) {
    size++;
    const child = node.properties?.get(key) ?? node.additional;
    if (child !== undefined && !acceptsValue(object[key]!, child)) return false;
  }
  return size >= node.minProperties && size <= node.maxProperties;
}

function acceptsLogic(value: Json, node: SchemaNode): boolean {
  const { allOf, anyOf, oneOf, not } = node;
  for (let i = 0; i < allOf.length; i++) if (!acceptsValue(value, allOf[i]!)) return false;
  if (anyOf.length > 0 && !anyOf.some((branch) => acceptsValue(value, branch))) return false;
  if (oneOf.length > 0) {
    let valid = 0;
    for (let i = 0; i < oneOf.length; i++) if (acceptsValue(value, oneOf[i]!)) valid++;
    if (valid !== 1) return false;
  }
  return not === undefined || !acceptsValue(value, not);
}
