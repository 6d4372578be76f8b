// Which items of two lists are the same, so that an insertion is one operation and not a change of
// all items after it.
import { equalJson, type Json } from "../../api/json.ts";

/** Items that differ, and the number of equal ones that follow. */
export interface Gap {
  readonly removed: readonly Json[];
  readonly added: readonly unknown[];
  readonly kept: number;
}

/** Pairs that are compared at most; of longer lists, items pair by their place. */
const mostPairs = 10_000;

const isSame = (before: Json, after: unknown): boolean => equalJson(before, after as Json);

/** Splits two lists into gaps, by the longest common subsequence. */
export function alignItems(before: readonly Json[], after: readonly unknown[]): readonly Gap[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head]!, after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail)!, after.at(-1 - tail))) tail++;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  return [
    { removed: [], added: [], kept: head },
    ...(removed.length * added.length > mostPairs
      ? [{ removed, added, kept: 0 }]
      : gapsOf(removed, added)),
  ];
}

function gapsOf(removed: readonly Json[], added: readonly unknown[]): Gap[] {
  const lengths = commonLengths(removed, added);
  const gaps: Gap[] = [];
  let [i, j] = [0, 0];
  while (i < removed.length || j < added.length) {
    const [fromI, fromJ] = [i, j];
    while (i < removed.length && j < added.length && !isPair(i, j)) {
      if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
      else j++;
    }
    if (i === removed.length || j === added.length) [i, j] = [removed.length, added.length];
    const [toI, toJ] = [i, j];
    while (i < removed.length && j < added.length && isPair(i, j)) [i, j] = [i + 1, j + 1];
    const gap = { removed: removed.slice(fromI, toI), added: added.slice(fromJ, toJ) };
    gaps.push({ ...gap, kept: i - toI });
  }
  return gaps;

  function isPair(i: number, j: number): boolean {
    return lengths[i]![j]! > lengths[i + 1]![j + 1]! && isSame(removed[i]!, added[j]);
  }
}

/** Lengths of the longest common subsequences of all pairs of tails. */
function commonLengths(
  removed: readonly Json[],
  added: readonly unknown[],
): readonly (readonly number[])[] {
  const rows: number[][] = [new Array<number>(added.length + 1).fill(0)];
  for (let i = removed.length - 1; i >= 0; i--) {
    const below = rows[0]!;
    const row = new Array<number>(added.length + 1).fill(0);
    for (let j = added.length - 1; j >= 0; j--)
      row[j] = isSame(removed[i]!, added[j]) ? below[j + 1]! + 1 : Math.max(below[j]!, row[j + 1]!);
    rows.unshift(row);
  }
  return rows;
}
