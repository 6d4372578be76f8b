// The fields that a request sends, without their values. Pure.
import { isObject, type Json, type JsonObject } from "../../../api/json.ts";

/** Fields that name an object and change nothing. */
const naming = new Set([
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion",
]);

/** Paths, and how many there are beyond those. */
export interface FieldPaths {
  readonly paths: readonly string[];
  readonly more: number;
}

const longest = 200;

/**
 * The paths of the leaves of a manifest or a merge patch, e.g. `spec.replicas`, or those that a
 * JSON patch names; a list is a leaf. At most `most`.
 */
export function fieldPaths(body: Json, most: number): FieldPaths {
  const found = { paths: [] as string[], more: 0, most };
  if (Array.isArray(body)) {
    for (const step of body)
      if (isObject(step) && typeof step["path"] === "string") add(found, step["path"]);
  } else if (isObject(body)) collect(found, body, "");
  return { paths: found.paths, more: found.more };
}

interface Found {
  readonly paths: string[];
  more: number;
  readonly most: number;
}

function collect(found: Found, object: JsonObject, at: string): void {
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const path = pathOf(at, name);
    if (isObject(value) && hasFields(value)) collect(found, value, path);
    else if (!naming.has(path)) add(found, path);
  }
}

function hasFields(object: JsonObject): boolean {
  for (const _name in object) return true;
  return false;
}

/** e.g. `metadata.labels["example.com/tier"]` */
function pathOf(at: string, name: string): string {
  const isPlain = !name.includes(".") && !name.includes("/");
  if (!isPlain) return `${at}[${JSON.stringify(name)}]`;
  return at === "" ? name : `${at}.${name}`;
}

function add(found: Found, path: string): void {
  if (found.paths.length >= found.most) found.more++;
  else found.paths.push(path.length <= longest ? path : `${path.slice(0, longest)}…`);
}
