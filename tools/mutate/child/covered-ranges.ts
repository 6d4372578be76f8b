// Flattens V8's block coverage of one script: functions with nested ranges, each with a count.

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** The ranges that ran, `[start, end]` each, sorted and without overlaps. */
export function coveredRanges(
  functions: readonly { readonly ranges: readonly Range[] }[],
): readonly (readonly [number, number])[] {
  const ranges = functions
    .flatMap((each) => each.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const covered: [number, number][] = [];
  const open: Range[] = [];
  let at = 0;
  const advance = (to: number): void => {
    const last = covered.at(-1);
    if (to > at && (open.at(-1)?.count ?? 0) > 0) {
      if (last?.[1] === at) last[1] = to;
      else covered.push([at, to]);
    }
    at = Math.max(at, to);
  };
  const closeUntil = (offset: number): void => {
    for (let top = open.at(-1); top && top.endOffset <= offset; top = open.at(-1)) {
      advance(top.endOffset);
      open.pop();
    }
  };
  for (const range of ranges) {
    closeUntil(range.startOffset);
    advance(range.startOffset);
    open.push(range);
  }
  closeUntil(Infinity);
  return covered;
}
