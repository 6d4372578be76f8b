// A patched document as messages show it: objects that the patch touches have sorted members, the
// others keep the order of the document.
// Upstream: gopkg.in/evanphx/json-patch.v4 (lazyNode), which reads parts when it needs them.
import { compareBytewise, encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { encodeUnsorted } from "../../apimachinery/encode-unsorted.ts";
import { printLiterals } from "./number-literals.ts";
import { withoutNulls } from "./without-nulls.ts";

const inOrder = (names: Iterable<string>): readonly string[] => [...names].sort(compareBytewise);
const member = (name: string, text: string): string => `${encodeJson(name)}:${text}`;

/** `document` after a merge patch; its members are in the order in which the server writes them. */
export const printMergePatched = (document: JsonObject, patch: JsonObject): string =>
  printLiterals(printMerged(document, patch));

function printMerged(document: JsonObject, patch: JsonObject): string {
  const names = new Set([...Object.keys(document), ...Object.keys(patch)]);
  const members = inOrder(names).flatMap((name) => {
    const current = Object.hasOwn(document, name) ? document[name]! : null;
    if (!Object.hasOwn(patch, name)) return [member(name, encodeUnsorted(current))];
    const value = patch[name]!;
    if (value === null) return [];
    if (isObject(current) && isObject(value)) return [member(name, printMerged(current, value))];
    return [
      member(name, isObject(current) ? encodeUnsorted(value) : encodeJson(withoutNulls(value))),
    ];
  });
  return `{${members.join(",")}}`;
}

/** `patched` is the result of the operations, with its literals marked as theirs are. */
export function printJsonPatched(patched: Json, operations: readonly JsonObject[]): string {
  const touched = new Set(operations.flatMap(({ path, from }) => [...above(path), ...above(from)]));
  const print = (value: Json, path: string): string => {
    if (!touched.has(path)) return encodeUnsorted(value);
    if (Array.isArray(value))
      return `[${value.map((one, i) => print(one, `${path}/${i}`)).join(",")}]`;
    if (!isObject(value)) return encodeJson(value);
    const members = inOrder(Object.keys(value)).map((name) =>
      member(name, print(value[name]!, `${path}/${escapeStep(name)}`)),
    );
    return `{${members.join(",")}}`;
  };
  return printLiterals(print(patched, ""));
}

/** The pointers of the containers on the way to a place, e.g. "", `/a` for `/a/b`. */
function above(pointer: Json | undefined): readonly string[] {
  if (typeof pointer !== "string") return [];
  const steps = pointer.split("/");
  return steps.slice(0, -1).map((_, i) => steps.slice(0, i + 1).join("/"));
}

const escapeStep = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
