// Matches stages against an object, chooses one by weight, and computes its delay. Pure: randomness
// and time are arguments.
// Upstream: sigs.k8s.io/kwok/pkg/utils/lifecycle/lifecycle.go.
import { parseFieldPath } from "./field-path.ts";
import { parseGoDuration } from "../../apimachinery/values/go-duration.ts";
import type { StageRequirement, Stage, StageDelay } from "./stage.ts";

/** The metadata that stages match. */
export interface StageObject {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Parses each path once. */
const memoizedPaths = (): ((text: string) => ReturnType<typeof parseFieldPath>) => {
  const known = new Map<string, ReturnType<typeof parseFieldPath>>();
  return (text) => {
    const path = known.get(text) ?? parseFieldPath(text);
    known.set(text, path);
    return path;
  };
};

/** The stages of one kind. */
export interface Lifecycle {
  matching(object: StageObject): readonly Stage[];
  /** Chooses by weight; `chance` is a random number from 0 to below 1. */
  pick(stages: readonly Stage[], object: StageObject, chance: number): Stage | undefined;
  /** Milliseconds; `now` is wall time. */
  delayMs(
    stage: Stage,
    object: StageObject,
    at: { readonly now: number; readonly chance: number },
  ): number;
  /** The fields of the object that the delay depends on. A change restarts the delay. */
  delayBasis(stage: Stage, object: StageObject): string;
}

/** A lifecycle of stages, in order. */
export function createLifecycle(stages: readonly Stage[]): Lifecycle {
  const pathOf = memoizedPaths();
  const matches = ({ when = {} }: Stage, object: StageObject): boolean => {
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
    pick: (candidates, object, chance) => {
      const weightOf = ({ weight = 1, weightFrom }: Stage): number =>
        Number((weightFrom === undefined ? [] : pathOf(weightFrom)(object))[0] ?? weight) || 0;
      return pickByWeight(candidates, candidates.map(weightOf), chance);
    },
    delayMs: ({ after = {} }, object, at) => delayOf(after, (path) => pathOf(path)(object), at),
    delayBasis: ({ after = {} }, object) =>
      [after.from, after.jitterFrom]
        .map((path) => (path === undefined ? "" : String(pathOf(path)(object)[0] ?? "")))
        .join(" "),
  };
}

/** Whether the values at a path meet a requirement with these values, by operator. */
const operators: Readonly<
  Record<
    StageRequirement["operator"],
    (found: readonly string[], values: readonly string[]) => boolean
  >
> = {
  Exists: (found) => found.length > 0,
  DoesNotExist: (found) => found.length === 0,
  In: (found, values) => found.some((value) => values.includes(value)),
  NotIn: (found, values) => !found.some((value) => values.includes(value)),
};

function meets({ operator, values = [] }: StageRequirement, found: readonly unknown[]): boolean {
  return operators[operator](found.map(String), values);
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
  const durationAt = (path: string | undefined): number | undefined =>
    path === undefined ? undefined : find(path).map((value) => durationMs(value, now))[0];
  const counts = backOff ? find(backOff.count).map(Number) : [];
  const grown = backOff ? Math.min(backOff.maxMs, ms * 2 ** (Math.max(1, ...counts) - 1)) : ms;
  const least = durationAt(from) ?? grown;
  const most = durationAt(jitterFrom) ?? jitterToMs ?? least;
  // As in KWOK, a jitter below the delay replaces it.
  return Math.max(0, most < least ? most : least + chance * (most - least));
}

/** Parses a duration, a number of seconds or a time; undefined if the value is none of these. */
function durationMs(value: unknown, now: number): number | undefined {
  if (typeof value === "number" || typeof value === "bigint") return Number(value) * 1000;
  const text = String(value);
  const duration = parseGoDuration(text);
  if ("nanos" in duration) return Number(duration.nanos) / 1e6;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time - now;
}
