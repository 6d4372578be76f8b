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
  if (kept.length === 0) {
    const { start, end } = managedFieldsSpan(buffer, scanned)!;
    return textOf(buffer, [0, start, end, buffer.length]);
  }
  // The bracket before the first entry and a comma or bracket after the others stay where they are.
  const ranges = [0, range.start + 1];
  for (let i = 0; i < kept.length; i += 2) {
    const isLast = i === kept.length - 2;
    ranges.push(kept[i]!, isLast ? kept[i + 1]! : kept[i + 1]! + 1);
  }
  return textOf(buffer, [...ranges, range.end - 1, buffer.length]);
}

/**
 * The text of ranges, given as starts and ends. Copied together first: the sum of two strings is a
 * third one as soon as it is parsed.
 */
function textOf(buffer: Buffer, ranges: readonly number[]): string {
  const copy = Buffer.allocUnsafe(buffer.length);
  let length = 0;
  for (let i = 0; i < ranges.length; i += 2)
    length += buffer.copy(copy, length, ranges[i]!, ranges[i + 1]!);
  return copy.toString("utf8", 0, length);
}

/** Starts and ends of the entries to keep. */
function keptEntries(
  buffer: Buffer,
  at: number,
  keep: (manager: string) => boolean,
): readonly number[] {
  const kept: number[] = [];
  eachItem(buffer, at, (start, end) => {
    if (keep(managerOf(buffer, start))) kept.push(start, end);
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
