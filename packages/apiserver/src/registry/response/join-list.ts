// Lists of items that are encoded already: what stands around the items, and the items themselves.
import { encodeJson, type Json } from "homeostat/api";
import { BodyParts } from "../../apimachinery/body-parts.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";

const comma = Buffer.from(",");

/** Adds items with commas between them; `add` adds the parts of one. */
export function addItems<T>(
  parts: BodyParts,
  items: readonly T[],
  add: (item: T) => void,
  between: Uint8Array = comma,
): void {
  for (const [i, item] of items.entries()) {
    if (i > 0) parts.add(between);
    add(item);
  }
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
): BodyParts {
  const kind = `"kind":${encodeJson(head.kind)}`;
  const apiVersion = `"apiVersion":${encodeJson(head.apiVersion)}`;
  const metadata = `"metadata":${JSON.stringify(head.metadata)}`;
  const isStruct = goType === "struct";
  const first = isStruct ? `${kind},${apiVersion},${metadata}` : apiVersion;
  const parts = new BodyParts();
  parts.text(`{${first},"items":${items ? "[" : "null"}${items?.length ? open : ""}`);
  addItems(parts, items ?? [], (item) => parts.add(item), Buffer.from(`,${open}`));
  parts.text(`${items ? "]" : ""}${isStruct ? "" : `,${kind},${metadata}`}}\n`);
  return parts;
}
