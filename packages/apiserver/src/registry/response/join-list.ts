// Lists of items that are encoded already: one allocation, and a copy of each item.
import { encodeJson, type Json } from "homeostat/api";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";

/** What stands around the items. */
export interface Surroundings {
  readonly start: string;
  /** What stands before the item at `i`, behind the comma. */
  before(i: number): string;
  readonly after: string;
  readonly end: string;
}

/** Joins items with commas. */
export function joinItems(
  items: readonly Uint8Array[],
  { start, before, after, end }: Surroundings,
): Uint8Array {
  let length = Buffer.byteLength(start) + Buffer.byteLength(end);
  items.forEach((item, i) => {
    length += item.length + Buffer.byteLength(before(i)) + after.length + 1;
  });
  const out = Buffer.allocUnsafe(length);
  let at = out.write(start);
  items.forEach((item, i) => {
    const text = before(i);
    if (i > 0) at += out.write(",", at, "latin1");
    if (text) at += out.write(text, at);
    out.set(item, at);
    at += item.length;
    if (after) at += out.write(after, at, "latin1");
  });
  at += out.write(end, at);
  return out.subarray(0, at);
}

/**
 * A list; `open` is put in front of every item. Unstructured lists have their members in the order
 * of a map's keys.
 */
export function joinList(
  head: { readonly kind: string; readonly apiVersion: string; readonly metadata: Json },
  items: readonly Uint8Array[] | null,
  open: string,
  goType: VersionCodec["goType"] = "struct",
): Uint8Array {
  const kind = `"kind":${encodeJson(head.kind)}`;
  const apiVersion = `"apiVersion":${encodeJson(head.apiVersion)}`;
  const metadata = `"metadata":${JSON.stringify(head.metadata)}`;
  const isStruct = goType === "struct";
  const first = isStruct ? `${kind},${apiVersion},${metadata}` : apiVersion;
  return joinItems(items ?? [], {
    start: `{${first},"items":${items ? "[" : "null"}`,
    before: () => open,
    after: "",
    end: `${items ? "]" : ""}${isStruct ? "" : `,${kind},${metadata}`}}\n`,
  });
}
