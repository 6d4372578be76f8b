// A unified diff of two values that are printed as JSON, with which some error messages end.
// Upstream: k8s.io/apimachinery/pkg/util/diff/diff.go, over the sequence matcher of
// github.com/pmezard/go-difflib.
import { indentJson } from "./indent-json.ts";
import { type Block, matchingBlocks } from "./matching-blocks.ts";

const context = 3;

/** Hunks of the indented values with three lines of context; "" for equal values. */
export function diffPrinted(before: string, after: string): string {
  const a = indentJson(before).split("\n");
  const b = indentJson(after).split("\n");
  return group(edits(matchingBlocks(a, b)))
    .map((hunk) => formatHunk(hunk, a, b))
    .join("");
}

/** Lines `a[a1..a2)` that become `b[b1..b2)`. */
interface Edit {
  readonly isEqual: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

function edits(blocks: readonly Block[]): Edit[] {
  const found: Edit[] = [];
  let [a, b] = [0, 0];
  for (const block of blocks) {
    if (a < block.a || b < block.b)
      found.push({ isEqual: false, a1: a, a2: block.a, b1: b, b2: block.b });
    [a, b] = [block.a + block.size, block.b + block.size];
    if (block.size) found.push({ isEqual: true, a1: block.a, a2: a, b1: block.b, b2: b });
  }
  return found;
}

/** Hunks: equal stretches are cut to the context, and at more than twice of it. */
function group(all: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = [];
  let hunk: Edit[] = [];
  all.forEach((edit, i) => {
    if (!edit.isEqual) return void hunk.push(edit);
    const length = edit.a2 - edit.a1;
    const isLast = i === all.length - 1;
    if (i > 0 && (isLast || length > 2 * context)) {
      hunks.push([...hunk, headOf(edit)]);
      hunk = [];
    }
    if (isLast) return;
    hunk.push(i === 0 || length > 2 * context ? tailOf(edit) : edit);
  });
  return hunk.some((edit) => !edit.isEqual) ? [...hunks, hunk] : hunks;
}

function headOf(edit: Edit): Edit {
  const kept = Math.min(context, edit.a2 - edit.a1);
  return { ...edit, a2: edit.a1 + kept, b2: edit.b1 + kept };
}

function tailOf(edit: Edit): Edit {
  const kept = Math.min(context, edit.a2 - edit.a1);
  return { ...edit, a1: edit.a2 - kept, b1: edit.b2 - kept };
}

function formatHunk(hunk: readonly Edit[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0]!, hunk.at(-1)!];
  const lines = hunk.flatMap(({ isEqual, a1, a2, b1, b2 }) =>
    isEqual
      ? a.slice(a1, a2).map((line) => ` ${line}\n`)
      : [
          ...a.slice(a1, a2).map((line) => `-${line}\n`),
          ...b.slice(b1, b2).map((line) => `+${line}\n`),
        ],
  );
  const head = `@@ -${range(first.a1, last.a2)} +${range(first.b1, last.b2)} @@\n`;
  return `${head}${lines.join("")}`;
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length ? start + 1 : start},${length}`;
}
