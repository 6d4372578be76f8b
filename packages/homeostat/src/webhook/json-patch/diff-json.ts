// The JSON patch that turns one value into another: members and items that differ, and nothing
// else, so that numbers and fields which user code did not touch are never written back.
// Upstream: RFC 6902; controller-runtime computes it with gomodules.xyz/jsonpatch/v2.
import { cloneJson, equalJson, isObject, type Json, type JsonObject } from "../../api/json.ts";
import { alignItems } from "./align-items.ts";
import { toJson } from "./to-json.ts";

/** One operation of a JSON patch. */
export interface PatchOperation extends JsonObject {
  op: "add" | "remove" | "replace";
  path: string;
}

/** Deeper members are compared as a whole. */
const deepest = 200;

/**
 * The patch from `before` to `after`, in the order of their members. Members that are undefined
 * count as absent; 1 and 1.0 are equal.
 * @throws TypeError for an `after` that is not JSON, with its path
 */
export function diffJson(before: Json, after: unknown): readonly PatchOperation[] {
  const patch: PatchOperation[] = [];
  diff(before, after, { patch, path: "", levels: deepest });
  return patch;
}

interface Place {
  readonly patch: PatchOperation[];
  /** JSON pointer. */
  readonly path: string;
  readonly levels: number;
}

const inside = ({ patch, path, levels }: Place, key: string | number): Place => ({
  patch,
  path: `${path}/${typeof key === "number" ? key : escape(key)}`,
  levels: levels - 1,
});

const escape = (key: string): string =>
  /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;

function diff(before: Json, after: unknown, place: Place): void {
  if (before === after) return;
  if (place.levels > 0) {
    if (isObject(before) && isMembers(after)) return diffMembers(before, after, place);
    if (Array.isArray(before) && Array.isArray(after)) return diffItems(before, after, place);
  }
  const { patch, path } = place;
  const value = toJson(after, path);
  if (!equalJson(before, value)) patch.push({ op: "replace", path, value });
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);

function diffMembers(
  before: JsonObject,
  after: Readonly<Record<string, unknown>>,
  place: Place,
): void {
  for (const key of Object.keys(before)) {
    const next = Object.hasOwn(after, key) ? after[key] : undefined;
    if (next === before[key]) continue;
    const at = inside(place, key);
    if (next === undefined) place.patch.push({ op: "remove", path: at.path });
    else diff(before[key]!, next, at);
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key) || after[key] === undefined) continue;
    const { path } = inside(place, key);
    place.patch.push({ op: "add", path, value: toJson(after[key], path) });
  }
}

function diffItems(before: readonly Json[], after: readonly unknown[], place: Place): void {
  let at = 0;
  for (const { removed, added, kept } of alignItems(before, after)) {
    const paired = Math.min(removed.length, added.length);
    for (let i = 0; i < paired; i++) diff(removed[i]!, added[i], inside(place, at + i));
    at += paired;
    for (let i = paired; i < removed.length; i++)
      place.patch.push({ op: "remove", path: inside(place, at).path });
    for (let i = paired; i < added.length; i++) {
      const { path } = inside(place, at++);
      place.patch.push({ op: "add", path, value: toJson(added[i], path) });
    }
    at += kept;
  }
}

/** A deep copy that user code may change. */
export const draftOf = (value: JsonObject): JsonObject => cloneJson(value);
