// The path element of an item of a list of type set or map.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go (listItemToPathElement).
import { isObject, type Json } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import {
  type KeyPart,
  keyElement,
  type PathElement,
  valueElement,
} from "../fieldpath/field-path.ts";
import type { SmdList } from "../../apimachinery/types/smd-type.ts";
import type { TypedError } from "./typed-error.ts";

/** The element, or an error message. */
export type ItemElement = PathElement | string;

/**
 * Missing keys take their defaults; keys without a default are omitted from the element.
 */
export function itemElement(list: SmdList, item: Json): ItemElement {
  if (list.relation === "atomic") return "invalid indexing of non-associative list";
  return list.keys.length ? keyedElement(list, item) : setElement(item);
}

/** Calls `visit` with each item and its element; items without one are errors. */
export function forEachElement(
  list: SmdList,
  items: readonly Json[],
  errors: TypedError[],
  visit: (element: PathElement, item: Json) => void,
): void {
  for (const [i, item] of items.entries()) {
    const element = itemElement(list, item);
    if (typeof element === "string") errors.push({ path: "", message: `element ${i}: ${element}` });
    else visit(element, item);
  }
}

function keyedElement(list: SmdList, item: Json): ItemElement {
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const parts: KeyPart[] = [];
  for (const name of list.keys) {
    if (Object.hasOwn(item, name)) {
      parts.push({ name, value: item[name]! });
      continue;
    }
    const map = list.element().map;
    if (!map)
      return `couldn't find default value for ${name}: associative list may not have non-map types`;
    const byDefault = map.field(name)?.default;
    if (byDefault !== undefined && byDefault !== null) parts.push({ name, value: byDefault });
  }
  if (!parts.length)
    return `associative list with keys has an element that omits all key fields [${list.keys.map(quoteGo).join(" ")}] (and doesn't have default values for any key fields)`;
  return keyElement(parts);
}

function setElement(item: Json): ItemElement {
  if (Array.isArray(item)) return "not supported: associative list with lists as elements";
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (isObject(item)) return "associative list without keys has an element that's a map type";
  return valueElement(item);
}
