// The runner of one controller of a manager, with its own queue and recorder of Events.
import { parseObjectKey } from "../api/object-meta.ts";
import { type ControllerRunner, createControllerRunner } from "../controller/controller-runner.ts";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import type { Signal } from "../controller/signals/signal.ts";
import type { RunnerOptions } from "../controller/run/runner-state.ts";
import { createEventRecorder } from "../events/index.ts";
import { createWorkQueue, type QueueObserver, type WorkQueue } from "../queue/index.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { needsElection } from "./election/needs-election.ts";
import type { Terms } from "./election/terms.ts";
import { followAttempts } from "./follow-attempts.ts";
import { type CountedController, createCounted } from "./metrics/counted-controller.ts";
import type { ManagerState } from "./manager-state.ts";

/** The runner of a controller; of one that needs election, for the next term. */
export function createRunner(
  state: ManagerState,
  definition: ControllerDefinition,
): ControllerRunner {
  const { options, runtime, names, log, scope } = state;
  const changed = changesOf(options, definition);
  const { manager } = names.get(definition)!;
  const leadership = needsElection(definition) ? state.leadership : undefined;
  const recorder = createEventRecorder({
    client: leadership?.fencedForEvents(options.client) ?? options.client,
    runtime,
    controller: manager,
    api: "v1",
    warn: (message) => log.warn(message, { controller: definition.name }),
  });
  const counted = countController(state, definition);
  const queue = createQueue(definition, runtime, counted?.metrics.queue);
  const runner = createControllerRunner({
    definition,
    names: names.get(definition)!,
    runtime,
    client: leadership?.fenced(options.client) ?? options.client,
    namespaces: scope.namespaces,
    queue,
    observer: counted?.metrics.runs,
    ...followersOf(state, definition),
    ...(leadership ? standing(leadership, definition) : {}),
    log,
    informer: (kind) => scope.informer(kind),
    lease: (kind) => scope.lease(kind),
    narrowing: state.narrowing,
    recorder,
    statusTurns: state.statusTurns,
    writeChains: state.writeChains,
    contested: state.contested,
    signals: state.definitions.flatMap(({ signals }) => signals),
    limitedSignals: limitedSignals(state.definitions, definition),
    reports: {
      events: true,
      conditions: true,
      ...options.reports,
      ...definition.reports,
    },
    ...(changed ? { changed } : {}),
    cluster: options.cluster,
  });
  state.recorders.set(runner, recorder);
  counted?.follow({ queue, runner });
  return runner;
}

/** The replica waits with its keys for its term, or has its own keys only. */
function standing(leadership: Terms, definition: ControllerDefinition) {
  const shards = leadership.shards(definition);
  return { standsBy: shards === undefined, shards };
}

/** What follows the runs of a controller: spans, and the record of its attempts. */
function followersOf(
  { options: { tracing, introspection, watchdog, cluster } }: ManagerState,
  { name, kind: { apiVersion, kind, resource } }: ControllerDefinition,
): Pick<RunnerOptions, "tracer" | "attempts"> {
  return {
    tracer: tracing?.controller({ name, kind, cluster }),
    attempts: followAttempts(
      introspection?.controller({ name, apiVersion, kind, resource, cluster }),
      watchdog?.controller(name, cluster),
    ),
  };
}

/** Receives each change of an object's state; undefined when nobody does. */
function changesOf(
  { changed, introspection }: ManagerState["options"],
  { kind }: ControllerDefinition,
): RunnerOptions["changed"] {
  if (!introspection) return changed;
  return (state) => {
    introspection.changed(state, kind);
    return changed?.(state);
  };
}

/** The metrics of a controller, which outlive its runners. */
function countController(
  { options, counted }: ManagerState,
  definition: ControllerDefinition,
): CountedController | undefined {
  const { name, concurrency } = definition;
  const known = counted.get(definition);
  if (known || !options.metrics) return known;
  const made = createCounted(options.metrics.controller({ name, concurrency }));
  counted.set(definition, made);
  return made;
}

function createQueue(
  definition: ControllerDefinition,
  runtime: Runtime,
  observer: QueueObserver | undefined,
): WorkQueue {
  const { backoff, retryRate, fairBy } = definition;
  return createWorkQueue({
    runtime,
    ...(observer ? { observer } : {}),
    ...(backoff ? { backoff } : {}),
    ...(retryRate ? { retryRate } : {}),
    ...(fairBy ? { groupOf: (key: string) => parseObjectKey(key).namespace ?? "" } : {}),
  });
}

/**
 * The signals whose limit a controller reports: the one that sets a signal waits for its clearing.
 */
function limitedSignals(
  definitions: readonly ControllerDefinition[],
  definition: ControllerDefinition,
): readonly Signal[] {
  return definition.signals.filter((signal) => {
    if (signal.withinMs === undefined) return false;
    const declaring = definitions.filter(({ signals }) => signals.includes(signal));
    const setter = declaring.find(({ name }) => signal.setBy.includes(name));
    return definition === (setter ?? declaring[0]);
  });
}
