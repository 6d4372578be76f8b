// Values of user code as JSON, or an error that says where they are none.
import { isObject, type Json, type JsonObject, setOwn } from "../../api/json.ts";
import { jsonDepthFault } from "../../api/json-depth.ts";
import { describeValue } from "../../util/describe-error.ts";

/**
 * A copy of the value without members that are undefined.
 * @throws TypeError for what JSON cannot hold; `path` is the JSON pointer of the value
 */
export function toJson(value: unknown, path: string): Json {
  const fault = jsonDepthFault(value);
  if (fault !== undefined) throw new TypeError(`${nameOf(path)} ${fault}`);
  return copy(value, path);
}

function copy(value: unknown, path: string): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      break;
    case "object":
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((item, i) => copy(item, `${path}/${i}`));
      if (isPlain(value)) return copyMembers(value, path);
      break;
    default:
  }
  throw new TypeError(`${nameOf(path)} is ${describeValue(value)}, expected JSON`);
}

function copyMembers(value: object, path: string): JsonObject {
  const out: JsonObject = {};
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) setOwn(out, key, copy(member, `${path}/${key}`));
  return out;
}

/** A date, a map or an instance of a class is no JSON. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const nameOf = (path: string): string => (path === "" ? "the value" : path);

/** @throws TypeError for a value that is no JSON object */
export function toJsonObject(value: unknown): JsonObject {
  const json = toJson(value, "");
  if (!isObject(json))
    throw new TypeError(`the value is ${describeValue(value)}, expected an object`);
  return json;
}
