// Which stages fit an object, which of them is played, and after how long. Pure: chance and time
// are arguments.
// Upstream: sigs.k8s.io/kwok/pkg/utils/lifecycle/lifecycle.go.
import { parseFieldPath } from "./field-path.ts";
import { parseGoDuration } from "../../apimachinery/values/go-duration.ts";
import type { StageRequirement, Stage, StageDelay } from "./stage.ts";

/** An object as stages look at it. */
export interface Staged {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Paths are read once for each stage. */
const paths = (): ((text: string) => ReturnType<typeof parseFieldPath>) => {
  const known = new Map<string, ReturnType<typeof parseFieldPath>>();
  return (text) => {
    const path = known.get(text) ?? parseFieldPath(text);
    known.set(text, path);
    return path;
  };
};

/** Stages of one kind, ready to be asked. */
export interface StageBook {
  matching(object: Staged): readonly Stage[];
  /** By weight; `chance` is below 1. */
  pick(stages: readonly Stage[], object: Staged, chance: number): Stage | undefined;
  /** Milliseconds; `now` is wall time. */
  delayMs(
    stage: Stage,
    object: Staged,
    at: { readonly now: number; readonly chance: number },
  ): number;
  /**
   * What the object itself says of the delay, as text: where it comes to say something else,
   * waiting begins anew.
   */
  delayBasis(stage: Stage, object: Staged): string;
}

/** Opens a book over stages, in order. */
export function openStageBook(stages: readonly Stage[]): StageBook {
  const pathOf = paths();
  const matches = ({ when = {} }: Stage, object: Staged): boolean => {
    const { labels = {}, annotations = {} } = object.metadata;
    const holds = (
      wanted: Readonly<Record<string, string>> | undefined,
      own: Readonly<Record<string, string>>,
    ): boolean => Object.entries(wanted ?? {}).every(([key, value]) => own[key] === value);
    return (
      holds(when.labels, labels) &&
      holds(when.annotations, annotations) &&
      (when.fields ?? []).every((one) => meets(one, pathOf(one.path)(object)))
    );
  };
  return {
    matching: (object) => stages.filter((stage) => matches(stage, object)),
    pick: (fitting, object, chance) => {
      const weightOf = ({ weight = 1, weightFrom }: Stage): number =>
        Number((weightFrom === undefined ? [] : pathOf(weightFrom)(object))[0] ?? weight) || 0;
      return pickByWeight(fitting, fitting.map(weightOf), chance);
    },
    delayMs: ({ after = {} }, object, at) => delayOf(after, (path) => pathOf(path)(object), at),
    delayBasis: ({ after = {} }, object) =>
      [after.from, after.jitterFrom]
        .map((path) => (path === undefined ? "" : String(pathOf(path)(object)[0] ?? "")))
        .join(" "),
  };
}

function meets({ operator, values = [] }: StageRequirement, found: readonly unknown[]): boolean {
  switch (operator) {
    case "Exists":
      return found.length > 0;
    case "DoesNotExist":
      return found.length === 0;
    case "In":
      return found.some((value) => values.includes(String(value)));
    case "NotIn":
      return !found.some((value) => values.includes(String(value)));
  }
}

function pickByWeight(
  stages: readonly Stage[],
  weights: readonly number[],
  chance: number,
): Stage | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return stages[Math.floor(chance * stages.length)];
  let left = chance * total;
  return stages.find((_, i) => (left -= weights[i]!) < 0);
}

function delayOf(
  { ms = 0, from, jitterToMs, jitterFrom, backOff }: StageDelay,
  find: (path: string) => readonly unknown[],
  { now, chance }: { readonly now: number; readonly chance: number },
): number {
  const said = (path: string | undefined): number | undefined =>
    path === undefined ? undefined : find(path).map((value) => durationMs(value, now))[0];
  const counts = backOff ? find(backOff.count).map(Number) : [];
  const grown = backOff ? Math.min(backOff.maxMs, ms * 2 ** (Math.max(1, ...counts) - 1)) : ms;
  const least = said(from) ?? grown;
  const most = said(jitterFrom) ?? jitterToMs ?? least;
  // As KWOK has it, a jitter below the delay cuts it short.
  return Math.max(0, most < least ? most : least + chance * (most - least));
}

/** A duration, a number of seconds, or the time until a moment; undefined for what is neither. */
function durationMs(value: unknown, now: number): number | undefined {
  if (typeof value === "number" || typeof value === "bigint") return Number(value) * 1000;
  const text = String(value);
  const nanos = parseGoDuration(text);
  if (nanos !== undefined) return Number(nanos) / 1e6;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment - now;
}
