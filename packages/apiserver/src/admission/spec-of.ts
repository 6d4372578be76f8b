// Parts of a decoded object for changing in place. Go's structs are always there; here a field is
// made when it is needed.
import { isObject, type JsonObject } from "homeostat/api";
import { itemsAt } from "../apimachinery/meta/read-fields.ts";

/** The object's spec, which is there afterwards. */
export function specOf(object: JsonObject): JsonObject {
  const { spec } = object;
  return isObject(spec) ? spec : (object["spec"] = {});
}

/** Puts an item at the end of a list, which is there afterwards. */
export function append(object: JsonObject, field: string, item: JsonObject): void {
  object[field] = [...itemsAt(object, field), item];
}
