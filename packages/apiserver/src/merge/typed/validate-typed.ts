// Validates that a value fits its type.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/validate.go.
import { compareBytewise, isObject, type Json } from "homeostat/api";
import { deduceAtom, settle } from "./atom.ts";
import {
  fieldElement,
  formatPathElement,
  indexElement,
  type PathElement,
} from "../fieldpath/field-path.ts";
import { formatGoSyntax } from "../../apimachinery/values/go-syntax.ts";
import { formatGoType, formatGoValue } from "../../apimachinery/values/go-format.ts";
import { itemElement } from "./list-item.ts";
import {
  acceptsAnything,
  type SmdList,
  type SmdMap,
  type SmdScalar,
  type SmdType,
} from "../../apimachinery/types/smd-type.ts";
import { below, type TypedError, typedError } from "./typed-error.ts";

/** Whether lists of type set and map may hold duplicates: live objects may, intents may not. */
export type Duplicates = "allowed" | "refused";

/**
 * All errors; map members are visited in bytewise order, up to the first undeclared one.
 */
export function validateTyped(
  type: SmdType,
  value: Json,
  duplicates: Duplicates,
): readonly TypedError[] {
  if (acceptsAnything(type)) return [];
  switch (settle(type, deduceAtom(type, value))) {
    case "map":
      return validateMap(type.map!, value, duplicates);
    case "list":
      return validateList(type.list!, value, duplicates);
    case "scalar":
      return validateScalar(type.scalar!, value, "");
  }
}

/** `prefix` precedes messages, e.g. `lhs: `. Absent and null values fit. */
export function validateScalar(
  scalar: SmdScalar,
  value: Json | undefined,
  prefix: string,
): readonly TypedError[] {
  if (value === undefined || value === null) return [];
  const is = typeof value === "bigint" ? "number" : typeof value;
  switch (scalar) {
    case "numeric":
      return is === "number"
        ? []
        : typedError(`${prefix}expected numeric (int or float), got ${formatGoType(value)}`);
    case "string":
      return is === "string"
        ? []
        : typedError(
            `${prefix}expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`,
          );
    case "boolean":
      return is === "boolean"
        ? []
        : typedError(`${prefix}expected boolean, got &{${formatGoValue(value)}}`);
    case "untyped":
      return is !== "object"
        ? []
        : typedError(`${prefix}expected any scalar, got &{${formatGoValue(value)}}`);
  }
}

function validateMap(type: SmdMap, value: Json, duplicates: Duplicates): readonly TypedError[] {
  if (value === null) return [];
  if (!isObject(value)) return typedError(`expected map, got &{${formatGoValue(value)}}`);
  const errors: TypedError[] = [];
  for (const name of Object.keys(value).sort(compareBytewise)) {
    const step = formatPathElement(fieldElement(name));
    const fieldType = type.field(name)?.type ?? type.element;
    if (!fieldType) return [...errors, { path: step, message: "field not declared in schema" }];
    errors.push(...below(step, validateTyped(fieldType(), value[name]!, duplicates)));
  }
  return errors;
}

function validateList(type: SmdList, value: Json, duplicates: Duplicates): readonly TypedError[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return typedError(`expected list, got &{${formatGoValue(value)}}`);
  const errors: TypedError[] = [];
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const element: PathElement | string =
      type.relation === "atomic" ? indexElement(i) : itemElement(type, item);
    // Errors further down would have no path.
    if (typeof element === "string")
      return [...errors, { path: "", message: `element ${i}: ${element}` }];
    const step = formatPathElement(element);
    if (type.relation !== "atomic" && duplicates === "refused" && seen.has(element.id))
      errors.push({ path: "", message: `duplicate entries for key ${step}` });
    seen.add(element.id);
    errors.push(...below(step, validateTyped(type.element(), item, duplicates)));
  }
  return errors;
}
