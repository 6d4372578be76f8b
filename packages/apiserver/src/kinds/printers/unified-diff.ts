// A unified diff of two values as indented JSON, with which some error messages end.
// Upstream: k8s.io/apimachinery/pkg/util/diff/diff.go, github.com/pmezard/go-difflib. Upstream
// prints its internal structs; here the fields carry their API names.
import type { Json } from "homeostat/api";

const context = 3;

/** Hunks with three lines of context; "" for equal values. */
export function diffJson(a: Json, b: Json): string {
  return diffLines(lines(a), lines(b));
}

const lines = (value: Json): string[] =>
  JSON.stringify(
    value,
    (_, each: Json) => (typeof each === "bigint" ? Number(each) : each),
    1,
  ).split("\n");

/** One step from `a` to `b`. */
interface Step {
  readonly mark: " " | "-" | "+";
  readonly text: string;
  readonly a: number;
  readonly b: number;
}

function diffLines(a: readonly string[], b: readonly string[]): string {
  const steps = walk(a, b);
  const changed = steps.flatMap(({ mark }, i) => (mark === " " ? [] : [i]));
  const hunks: { from: number; to: number }[] = [];
  for (const i of changed) {
    const last = hunks.at(-1);
    if (last && i - context <= last.to + 1) last.to = Math.min(steps.length - 1, i + context);
    else
      hunks.push({ from: Math.max(0, i - context), to: Math.min(steps.length - 1, i + context) });
  }
  return hunks.map(({ from, to }) => formatHunk(steps.slice(from, to + 1))).join("");
}

function formatHunk(steps: readonly Step[]): string {
  const first = steps[0]!;
  const count = (mark: "-" | "+"): number =>
    steps.filter((step) => step.mark === " " || step.mark === mark).length;
  const range = (start: number, length: number): string =>
    length === 1 ? `${start + 1}` : `${length ? start + 1 : start},${length}`;
  return `@@ -${range(first.a, count("-"))} +${range(first.b, count("+"))} @@\n${steps.map(({ mark, text }) => `${mark}${text}\n`).join("")}`;
}

/**
 * The shortest way by the longest common subsequence; the equal head and tail are cut off first,
 * which is most of it.
 */
function walk(a: readonly string[], b: readonly string[]): Step[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++;
  const middleA = a.slice(head, a.length - tail);
  const middleB = b.slice(head, b.length - tail);
  const steps: Step[] = a.slice(0, head).map((text, i) => ({ mark: " ", text, a: i, b: i }));
  steps.push(
    ...walkMiddle(middleA, middleB).map((step) => ({
      ...step,
      a: step.a + head,
      b: step.b + head,
    })),
  );
  const rest = a.slice(a.length - tail);
  return [
    ...steps,
    ...rest.map((text, i): Step => ({
      mark: " ",
      text,
      a: a.length - tail + i,
      b: b.length - tail + i,
    })),
  ];
}

function walkMiddle(a: readonly string[], b: readonly string[]): Step[] {
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] =
        a[i] === b[j]
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j])
      steps.push({ mark: " ", text: a[i]!, a: i++, b: j++ });
    else if (i < a.length && (j === b.length || common[i + 1]![j]! >= common[i]![j + 1]!))
      steps.push({ mark: "-", text: a[i]!, a: i++, b: j });
    else steps.push({ mark: "+", text: b[j]!, a: i, b: j++ });
  }
  return steps;
}
