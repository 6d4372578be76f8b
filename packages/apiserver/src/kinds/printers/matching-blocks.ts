// Which lines two texts have in common: the longest common stretch, then the same on either side
// of it.
// Upstream: github.com/pmezard/go-difflib/difflib (SequenceMatcher, with autoJunk).

/** `a[a..a+size)` equals `b[b..b+size)`. */
export interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** From so many lines on, lines that are frequent in `b` start no block. */
const junkFrom = 200;

interface Range {
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

/**
 * Lines that a search may visit. Upstream's search is quadratic too, but has a thread of its own;
 * here a refusal of a large object must not hold up other requests. What is not searched counts as
 * replaced.
 */
export const visitLimit = 2_000_000;

/** Blocks in order, neighbours joined; an empty one at the end of both ends the list. */
export function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const places = placesOf(b);
  const found: Block[] = [];
  const ranges: Range[] = [{ a1: 0, a2: a.length, b1: 0, b2: b.length }];
  let visits = 0;
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    visits += range.a2 - range.a1;
    if (visits > visitLimit) break;
    const block = longest(a, b, places, range);
    if (!block.size) continue;
    found.push(block);
    const [endA, endB] = [block.a + block.size, block.b + block.size];
    if (range.a1 < block.a && range.b1 < block.b)
      ranges.push({ ...range, a2: block.a, b2: block.b });
    if (endA < range.a2 && endB < range.b2) ranges.push({ ...range, a1: endA, b1: endB });
  }
  found.sort((one, other) => one.a - other.a);
  return [...joined(found), { a: a.length, b: b.length, size: 0 }];
}

function joined(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && last.a + last.size === block.a && last.b + last.size === block.b)
      result[result.length - 1] = { ...last, size: last.size + block.size };
    else result.push(block);
  }
  return result;
}

function placesOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  b.forEach((line, i) => {
    const known = places.get(line);
    if (known) known.push(i);
    else places.set(line, [i]);
  });
  if (b.length < junkFrom) return places;
  const most = Math.floor(b.length / 100) + 1;
  return new Map([...places].filter(([, at]) => at.length <= most));
}

/** The longest block in a range; of equals, the first in `a`, then the first in `b`. */
function longest(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  { a1, a2, b1, b2 }: Range,
): Block {
  let best = { a: a1, b: b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]!) ?? []) {
      if (j < b1) continue;
      if (j >= b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  return extended(a, b, best, { a1, a2, b1, b2 });
}

/** Frequent lines around a block belong to it. */
function extended(
  a: readonly string[],
  b: readonly string[],
  block: Block,
  { a1, a2, b1, b2 }: Range,
): Block {
  let { a: i, b: j, size } = block;
  while (i > a1 && j > b1 && a[i - 1] === b[j - 1]) [i, j, size] = [i - 1, j - 1, size + 1];
  while (i + size < a2 && j + size < b2 && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}
