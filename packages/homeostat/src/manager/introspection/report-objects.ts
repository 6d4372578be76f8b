// What introspection says of objects: how far a controller is with each, since when, what comes
// next, and why. Names and reasons only, no content.
import { parseObjectKey } from "../../api/object-meta.ts";
import type { ControllerRunner } from "../../controller/controller-runner.ts";
import type { ObjectState, Progress } from "../../controller/object-state.ts";
import type { QueueKeyReport } from "../../queue/workqueue.ts";
import type { ClusterInspection } from "./cluster-inspection.ts";
import { reportCause, time } from "./report-cause.ts";
import { askedOf, type Seen, seenOf, shownTo, type Viewer } from "./viewer.ts";

/** Most objects of one answer. */
const most = 500;

/** Which objects are asked for. */
export interface ObjectQuery {
  readonly controller: string | undefined;
  /** Default: all but those that are done. */
  readonly states: readonly string[];
  readonly namespace: string | undefined;
}

/** The worst come first: what stands still, then what fails, waits, runs. */
const ranks: Readonly<Record<Progress["at"], number>> = {
  stalled: 0,
  retrying: 1,
  waiting: 2,
  running: 3,
  done: 4,
};

/** The objects that are asked for, at most 500. */
export async function listObjects(
  clusters: readonly ClusterInspection[],
  { controller, states, namespace }: ObjectQuery,
  viewer: Viewer | undefined,
): Promise<{ readonly items: readonly object[]; readonly left: number; readonly hidden: number }> {
  const found = clusters.flatMap(({ controllers }) =>
    controllers
      .filter(({ runner }) => controller === undefined || runner.name === controller)
      .flatMap(({ runner }) => runner.states().map((state) => ({ runner, state }))),
  );
  const { items, hidden } = await askedOf(viewer, found, {
    of: seen,
    isAsked: ({ state: { progress, key } }) =>
      isWanted(progress.at, states) &&
      (namespace === undefined || parseObjectKey(key).namespace === namespace),
  });
  const sorted = items.toSorted(
    (a, b) =>
      ranks[a.state.progress.at] - ranks[b.state.progress.at] || a.state.since - b.state.since,
  );
  return {
    items: sorted.slice(0, most).map(({ runner, state }) => reportState(runner, state)),
    left: Math.max(0, sorted.length - most),
    hidden,
  };
}

interface Found {
  readonly runner: ControllerRunner;
  readonly state: ObjectState;
}

const seen = ({ runner, state }: Found): Seen =>
  seenOf(runner.kind, parseObjectKey(state.key).namespace);

const isWanted = (at: Progress["at"], states: readonly string[]): boolean =>
  states.length === 0 ? at !== "done" : states.includes(at);

/** Names an object of a kind. */
export interface NamedObject {
  /** `core` for that of `v1`. */
  readonly group: string;
  readonly kind: string;
  /** `namespace/name` or `name`. */
  readonly key: string;
}

/** The runners of a kind. */
export const runnersOf = (
  clusters: readonly ClusterInspection[],
  { group, kind }: Pick<NamedObject, "group" | "kind">,
): readonly ControllerRunner[] =>
  clusters
    .flatMap(({ controllers }) => controllers.map(({ runner }) => runner))
    .filter((runner) => runner.kind.kind === kind && groupOf(runner) === group);

/** One object with each controller that reconciles it; empty when none knows it. */
export const reportObject = (
  runners: readonly ControllerRunner[],
  { key }: Pick<NamedObject, "key">,
): readonly object[] =>
  runners.flatMap((runner) => {
    const { state, queue } = runner.explain(key);
    if (!state && !queue) return [];
    return [
      { ...(state ? reportState(runner, state) : named(runner, key)), queue: inQueue(queue) },
    ];
  });

/** The running reconciles, the oldest first. */
export async function listInFlight(
  clusters: readonly ClusterInspection[],
  viewer: Viewer | undefined,
): Promise<{ readonly items: readonly object[]; readonly hidden: number }> {
  const running = clusters
    .flatMap(({ controllers }) => controllers)
    .flatMap(({ runner }) =>
      runner
        .states()
        .filter(({ key }) => runner.explain(key).queue?.state.startsWith("processing"))
        .map((state) => ({ runner, state })),
    );
  const { items, hidden } = await shownTo(viewer, running, seen);
  const reports = items
    .toSorted((a, b) => a.state.since - b.state.since)
    .map(({ runner, state }) => ({
      ...reportState(runner, state),
      causes: (runner.explain(state.key).queue?.lastCauses ?? []).map(reportCause),
    }));
  return { items: reports, hidden };
}

/** The group of a controller's kind; "core" for that without a name. */
function groupOf({ kind }: ControllerRunner): string {
  const { apiVersion } = kind;
  return apiVersion.includes("/") ? apiVersion.split("/")[0]! : "core";
}

function named({ name, kind }: Pick<ControllerRunner, "name" | "kind">, key: string): object {
  return { controller: name, apiVersion: kind.apiVersion, kind: kind.kind, ...parseObjectKey(key) };
}

/** What a controller says of an object. */
export function reportState(
  runner: Pick<ControllerRunner, "name" | "kind">,
  state: ObjectState,
): object {
  const { cluster, key, progress, since, loop } = state;
  return {
    ...(cluster === undefined ? {} : { cluster }),
    ...named(runner, key),
    state: progress.at,
    since: time(since),
    ...details(progress),
    ...(loop ? { loop } : {}),
  };
}

function details(progress: Progress): object {
  switch (progress.at) {
    case "running":
      return progress.step === undefined ? {} : { step: progress.step };
    case "waiting":
      return { waitsFor: progress.what };
    case "retrying": {
      const { because, hint, failures, nextAt } = progress;
      return { because, ...(hint ? { hint } : {}), failures, nextAt: time(nextAt) };
    }
    case "stalled":
      return { because: progress.because, ...(progress.hint ? { hint: progress.hint } : {}) };
    default:
      return {};
  }
}

function inQueue(report: QueueKeyReport | undefined): object | undefined {
  if (!report) return undefined;
  const { state, priority, failures, dueAt, causes, lastCauses, ignored, droppedCauses } = report;
  return {
    state,
    priority,
    failures,
    ...(dueAt === undefined ? {} : { dueAt: time(dueAt) }),
    causes: causes.map(reportCause),
    lastCauses: lastCauses.map(reportCause),
    ignored: ignored.map(reportCause),
    droppedCauses,
  };
}
