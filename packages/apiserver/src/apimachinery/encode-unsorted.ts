// Writes JSON with members in their own order, where upstream passes on bytes that it has not read.
import { encodeJson, isObject, type Json } from "homeostat/api";

/** As `encodeJson`, without sorting the members of objects. */
export function encodeUnsorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(encodeUnsorted).join(",")}]`;
  if (!isObject(value)) return encodeJson(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${encodeJson(name)}:${encodeUnsorted(each)}`,
  );
  return `{${members.join(",")}}`;
}
