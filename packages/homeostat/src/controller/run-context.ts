// The context of one call of the user's code, and the record of the call: the status it set, and
// work that is still open.
import { formatObjectKey } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import { keyOf, type KubeObject } from "../api/object-meta.ts";
import { definitionOfKind } from "../api/resource/definition-of-kind.ts";
import type { Client } from "../client/client.ts";
import { describeError } from "../util/describe-error.ts";
import { objectReference } from "../events/index.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import {
  type ClientRun,
  type ControllerClient,
  createControllerClient,
} from "./controller-client.ts";
import type { Context, ControllerDefinition, ObjectRecorder } from "./define-controller.ts";
import { kindId } from "./echo/run-record.ts";
import { observeStatus } from "./echo/observe-status.ts";
import { addFinalizer, hasFinalizer } from "./finalizer.ts";
import { guardLog } from "./guard-log.ts";
import { createWait, retry } from "./outcome.ts";
import { createOwn, type Owning } from "./own/create-own.ts";
import { isLeftOut, type LeftOut, type OwnOptions } from "./own/own-function.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { resolveRefs, type TargetInformer, targetsOf } from "./resolve-refs.ts";
import { SignalGuard } from "./signals/signal-guard.ts";
import { createCachedReads, declaredKinds } from "./watching/cached-reads.ts";
import { resolveWatches } from "./watching/resolve-watches.ts";
import { createMetadataObserver } from "./boundaries/undeclared-metadata.ts";
import { UndeclaredReads } from "./boundaries/undeclared-reads.ts";
import type { RunScope } from "./run/run-scope.ts";
import { runStep } from "./run/run-step.ts";
import { reportSharedApply } from "./shared/report-shared-apply.ts";
import {
  createStatusIntent,
  type StatusIntent,
  type ConditionIntent,
  setStatusFields,
} from "./status-intent.ts";

/** One running call. */
export interface Run {
  readonly object: KubeObject;
  readonly context: Context<any, any, any, any, any>;
  readonly intent: StatusIntent;
  readonly owning: Owning;
  readonly scope: RunScope;
}

/** Prepares a call on `object`. */
export function createRun(
  dependencies: ReconcileDependencies,
  object: KubeObject,
  client: Client,
  scope: RunScope,
): Run {
  const { definition } = dependencies;
  const intent = createStatusIntent();
  const reads = new UndeclaredReads({ definition, object, breaches: dependencies.breaches });
  const guards = guardOf(dependencies, object);
  const open = { dependencies, object, client, scope, reads, guards };
  const { owning, own, step } = ownAndStep(open);
  const opened = lazy(() => openClient(open));
  const recorder = lazy(() => recorderOf(dependencies, object));
  const log = lazy(() => logOf(dependencies, scope));
  const context = {
    cluster: dependencies.cluster ?? "",
    ...objectsAtHand(dependencies, object, scope),
    own,
    step,
    ...statusCalls(open, intent),
    wait: createWait((name) => describeRef(definition, object, name)),
    retry,
    get client() {
      return opened();
    },
    get recorder() {
      return recorder();
    },
    get log() {
      return log();
    },
    get signal() {
      return scope.signal;
    },
  };
  return { object, context: context as unknown as Run["context"], intent, owning, scope };
}

function statusCalls(
  { dependencies: { definition }, object, scope, reads, guards }: OpenRun,
  intent: StatusIntent,
) {
  const { kind } = definition;
  return {
    status(fields: Readonly<Record<string, unknown>>) {
      scope.assertRunning("status(…)");
      reads.writes("sets its status");
      setStatusFields(intent, fields);
    },
    condition(type: string, status: ConditionIntent["status"], reason: string, message = "") {
      scope.assertRunning(`condition("${type}", …)`);
      reads.writes("sets its status");
      guards({ kind, key: keyOf(object), wanted: conditionBody(type, status) });
      setCondition(definition, intent, { type, status, reason, message });
    },
  };
}

/** Most runs use few parts of their context: each is made when it is first read. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function logOf({ log, definition }: ReconcileDependencies, { title }: RunScope) {
  return guardLog(log, { controller: definition.name, object: title });
}

function recorderOf(
  { recorder, definition }: ReconcileDependencies,
  object: KubeObject,
): ObjectRecorder {
  return {
    event: (type, reason, note) =>
      recorder.record({ regarding: objectReference(definition.kind, object), type, reason, note }),
  };
}

const isFinal = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** What the context has of the cache: the object, and what its controller declares. */
function objectsAtHand(dependencies: ReconcileDependencies, object: KubeObject, scope: RunScope) {
  const { definition, namespaces } = dependencies;
  const observe = observerOf(dependencies, object);
  const recorded = recordStart(definition, object, scope);
  const reading = (kind: Kind): void => scope.record.reads(kind);
  const reads = {
    namespaces,
    observe,
    reading,
    informer: (kind: Kind) => dependencies.informer(kind) as TargetInformer | undefined,
    ...(isFinal(object) ? { failed: reportUnresolved(dependencies, scope) } : {}),
  };
  return {
    object: observe(recorded),
    refs: resolveRefs(definition, object, reads),
    watches: resolveWatches(definition, recorded, reads),
    cache: createCachedReads({
      definition,
      object,
      observe,
      informer: (kind) => dependencies.informer(kind),
      narrowing: dependencies.narrowing,
      reading(kind, what) {
        scope.assertRunning(what);
        reading(kind);
      },
    }),
  };
}

/** Where labels and annotations are not observed, objects are handed out as they are. */
function observerOf(dependencies: ReconcileDependencies, object: KubeObject): <T>(read: T) => T {
  if (!dependencies.observesMetadata) return (read) => read;
  return createMetadataObserver({ ...dependencies, object });
}

/** In finalize a reference or watch that cannot be resolved is empty, and blocks no deletion. */
function reportUnresolved({ warnings, definition }: ReconcileDependencies, { title }: RunScope) {
  return (what: string, error: unknown): void =>
    warnings.warn(title, what, {
      message: `finalize runs without ${what}: ${describeError(error)}`,
      controller: definition.name,
      error,
    });
}

/** The client of the context; its default namespace is that of the object. */
function openClient({
  dependencies,
  object,
  client,
  scope,
  reads,
  guards,
}: OpenRun): ControllerClient {
  const { metadata } = object;
  const { namespace } = metadata;
  const inNamespace = client.with(namespace === undefined ? {} : { namespace });
  const { runtime, names } = dependencies;
  const by = formatObjectKey(metadata);
  return createControllerClient(inNamespace, {
    scope,
    reads,
    guards,
    observe: observerOf(dependencies, object),
    runtime,
    manager: names.manager,
    applies: (kind, manifest, manager) => {
      const apply = { kind, manifest, manager, by, namespace: inNamespace.namespace };
      reportSharedApply(dependencies, apply, scope.title);
    },
  });
}

function isOwned({ owns }: ControllerDefinition, kind: Kind): boolean {
  return owns.some((one) => kindId(one) === kindId(kind));
}

/** Starts the record of what the user's code reads; returns the object that it receives. */
function recordStart(
  { kind }: ControllerDefinition,
  object: KubeObject,
  { record }: RunScope,
): KubeObject {
  record.starts(kind, object);
  return observeStatus(object, () => record.readsStatus());
}

interface OpenRun {
  readonly dependencies: ReconcileDependencies;
  readonly object: KubeObject;
  readonly client: Client;
  readonly scope: RunScope;
  readonly reads: UndeclaredReads;
  readonly guards: ClientRun["guards"];
}

/** @throws ERR_OWN_OWNER when the object is gone or being deleted */
async function protectOwner(
  dependencies: ReconcileDependencies,
  object: KubeObject,
  client: Client,
): Promise<void> {
  const { definition, names } = dependencies;
  if (hasFinalizer(object, names)) return;
  const { kind } = definition;
  if (await addFinalizer({ ...dependencies, client, kind }, object)) return;
  throw new HomeostatError(
    "ERR_OWN_OWNER",
    `${kind.kind} ${formatObjectKey(object.metadata)} is being deleted, and owns nothing new in other namespaces`,
    { hint: "let the error pass; the children that exist are collected" },
  );
}

/** The functions of the context that the user's code must await. */
function ownAndStep({ dependencies, object, client, scope, reads, guards }: OpenRun) {
  const key = formatObjectKey(object.metadata);
  const owning = createOwn({
    memory: dependencies.ownMemory,
    isFinal: isFinal(object),
    hasOwnedElsewhere: dependencies.definition.finalize === undefined,
    namespaces: dependencies.namespaces,
    owner: object,
    ownerKind: dependencies.definition.kind,
    owns: dependencies.definition.owns,
    manager: dependencies.names.manager,
    client,
    protect: () => protectOwner(dependencies, object, client),
    informer: (kind) =>
      isOwned(dependencies.definition, kind) ? dependencies.informer(kind) : undefined,
    overtaken: (error) => scope.markOvertaken(error),
    assertRunning: () => scope.assertGoingOn("own(…)"),
  });
  const steps = {
    clock: dependencies.runtime.clock,
    scope,
    stepping: (name: string | undefined) => dependencies.stepping(key, name),
  };
  return {
    owning,
    own: (kind: Kind, given: readonly (KubeObject | LeftOut)[], options?: OwnOptions) =>
      scope.call(`own(${kind.kind}, …)`, async () => {
        const desired = given.filter((one) => !isLeftOut(one)) as readonly KubeObject[];
        reads.writes(`writes its ${kind.resource}`);
        for (const wanted of desired) {
          const { name, namespace = object.metadata.namespace } = wanted.metadata;
          const isClusterWide = kind.scope === "Cluster";
          guards({ kind, key: isClusterWide ? { name } : { name, namespace }, wanted });
        }
        const objects = await owning.own(kind, desired, options);
        for (const one of objects) scope.record.receives(kind, one);
        return objects;
      }),
    step: <T>(
      name: string,
      work: (signal: AbortSignal) => Promise<T>,
      options: { readonly timeout?: string | number } = {},
    ) =>
      scope.call(`step("${name}")`, () => runStep(steps, { name, work, timeout: options.timeout })),
  };
}

const conditionBody = (type: string, status: string): object => ({
  status: { conditions: [{ type, status }] },
});

/** Checks writes against the signals of all controllers; without signals there is nothing to do. */
function guardOf(
  { definition, signals, informer }: ReconcileDependencies,
  object: KubeObject,
): ClientRun["guards"] {
  if (signals.length === 0) return () => {};
  const guard = new SignalGuard(definition.name, signals);
  const own = formatObjectKey(object.metadata);
  const kinds = new Set(declaredKinds(definition).map(kindId));
  return (write) => {
    const { kind, key, isWhole = false } = write;
    const isOwn = kindId(kind) === kindId(definition.kind) && formatObjectKey(key) === own;
    const cached = (): unknown =>
      kinds.has(kindId(kind)) ? informer(kind)?.unchecked.get(key) : undefined;
    const current = write.current ?? (isOwn ? object : (cached() as KubeObject | undefined));
    if (isWhole && !current && !("current" in write)) return;
    guard.check({ ...write, current });
  };
}

function setCondition(
  { kind, name }: ControllerDefinition,
  intent: StatusIntent,
  condition: ConditionIntent,
): void {
  const known = definitionOfKind(kind)?.conditions;
  if (known && !known.includes(condition.type))
    throw new HomeostatError(
      "ERR_UNDECLARED",
      `"${name}" sets condition "${condition.type}", which ${kind.kind} does not declare; it has ${known.join(", ") || "none"}`,
      {
        hint: "list it in the resource's `conditions`",
      },
    );
  intent.conditions.set(condition.type, condition);
}

function describeRef(definition: ControllerDefinition, object: KubeObject, name: string): string {
  const declared = definition.refs[name];
  if (!declared) return name;
  const { keys, selections } = targetsOf(declared, object);
  const own = object.metadata.namespace;
  const targets = [
    ...keys.map(({ namespace, name: target }) =>
      namespace === own || namespace === undefined ? `"${target}"` : `"${namespace}/${target}"`,
    ),
    ...selections.map((selection) => JSON.stringify(selection.labels ?? selection)),
  ];
  return `${declared.target.kind} ${targets.join(", ") || `(${name}: no target)`}`;
}
