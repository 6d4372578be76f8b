// Removes managedFields from an object's bytes before they are parsed: a third of the parsing time
// and a quarter of the memory. Entries of the operator's own managers are kept, because apply
// compares with them.
import { eachItem, eachMember, readString, spells, toBuffer } from "../api/scan-json.ts";
import { managedFieldsSpan, type ScannedMetadata } from "../api/scan-metadata.ts";

/** The object's text without managedFields, except the entries whose manager `keep` accepts. */
export function cutManagedFields(
  bytes: Uint8Array,
  scanned: ScannedMetadata,
  keep: (manager: string) => boolean,
): string {
  const buffer = toBuffer(bytes);
  const range = scanned.managedFields;
  if (!range) return buffer.toString("utf8");
  const kept = keptEntries(buffer, range.start, keep);
  if (kept.length)
    return `${buffer.toString("utf8", 0, range.start)}[${kept.join(",")}]${buffer.toString("utf8", range.end)}`;
  const { start, end } = managedFieldsSpan(buffer, scanned)!;
  return buffer.toString("utf8", 0, start) + buffer.toString("utf8", end);
}

function keptEntries(
  buffer: Buffer,
  at: number,
  keep: (manager: string) => boolean,
): readonly string[] {
  const kept: string[] = [];
  eachItem(buffer, at, (start, end) => {
    if (keep(managerOf(buffer, start))) kept.push(buffer.toString("utf8", start, end));
  });
  return kept;
}

function managerOf(bytes: Uint8Array, entry: number): string {
  let manager = "";
  eachMember(bytes, entry, (keyStart, keyEnd, start, end) => {
    if (!spells(bytes, keyStart, keyEnd, "manager")) return;
    manager = readString(bytes, start, end) ?? "";
    return false;
  });
  return manager;
}
