// One call of the user's code: the status it set, the children it owns, and work that is open.
import { formatObjectKey } from "../api/gvk.ts";
import { assertKind } from "../api/check-kind.ts";
import type { Kind } from "../api/kind.ts";
import { keyOf, type KubeObject } from "../api/object-meta.ts";
import { definitionOfKind } from "../api/resource/definition-of-kind.ts";
import type { Client } from "../client/client.ts";
import { objectReference } from "../events/index.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { UndeclaredReads } from "./boundaries/undeclared-reads.ts";
import {
  type ClientRun,
  type ControllerClient,
  createControllerClient,
} from "./controller-client.ts";
import { declaredKinds } from "./declared-kinds.ts";
import type {
  Context,
  ControllerDefinition,
  ObjectRecorder,
  ReconcileLog,
} from "./define-controller.ts";
import { kindId } from "./echo/run-record.ts";
import { addFinalizer, hasFinalizer } from "./finalizer.ts";
import { argumentError } from "../util/argument-error.ts";
import { isOptions } from "../util/option-faults.ts";
import { guardLog } from "../util/guard-log.ts";
import { createWait } from "./outcome.ts";
import { createOwn, type Owning } from "./own/create-own.ts";
import { desiredOf, type LeftOut, type OwnOptions } from "./own/own-function.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { describeRef } from "./describe-ref.ts";
import {
  type ContextRun,
  createContext,
  isFinal,
  type Observe,
  observerOf,
} from "./run-context.ts";
import type { RunClient } from "./run/run-client.ts";
import type { RunScope } from "./run/run-scope.ts";
import { checkStep, runStep } from "./run/run-step.ts";
import { reportSharedApply } from "./shared/report-shared-apply.ts";
import { SignalGuard } from "./signals/signal-guard.ts";
import {
  type ConditionIntent,
  checkCondition,
  createStatusIntent,
  setStatusFields,
  type StatusIntent,
} from "./status-intent.ts";
import { refuseBeyond } from "./watching/cached-reads.ts";
import { covers } from "./watching/narrow-kinds.ts";
import { checkOwnSelection, compileOwnSelection } from "./watching/own-selection.ts";
import { refuseUnwatched } from "./watching/namespace-scope.ts";
import type { CompiledSelection, Selection } from "./watching/selection.ts";
import { isThenable } from "../util/refuse-promise.ts";

/** One running call. Most runs use few of its parts: each is made when it is first needed. */
export class Run implements ContextRun {
  readonly object: KubeObject;
  readonly scope: RunScope;
  readonly caller: RunClient;
  readonly observe: Observe;
  readonly intent: StatusIntent = createStatusIntent();
  readonly context: Context<any, any, any, any, any>;
  readonly #dependencies: ReconcileDependencies;
  readonly #reads: UndeclaredReads;
  readonly #guards: ClientRun["guards"];
  #owning: Owning | undefined;
  #client: ControllerClient | undefined;
  #wait: ReturnType<typeof createWait> | undefined;
  #log: ReconcileLog | undefined;

  /** Prepares a call on `object`. */
  constructor(
    dependencies: ReconcileDependencies,
    object: KubeObject,
    caller: RunClient,
    scope: RunScope,
  ) {
    const { definition, breaches } = dependencies;
    this.object = object;
    this.scope = scope;
    this.caller = caller;
    this.observe = observerOf(dependencies, object);
    this.#dependencies = dependencies;
    const { dynamicWatches } = dependencies;
    const isWatched = (kind: Kind): boolean =>
      dynamicWatches.has(formatObjectKey(object.metadata), kind);
    this.#reads = new UndeclaredReads({ definition, object, breaches, isWatched });
    this.#guards = guardOf(dependencies, object);
    this.context = createContext(dependencies, this) as unknown as Run["context"];
  }

  /** Undefined for a run without children: it has called no own(), and its controller owns none. */
  get owning(): Owning | undefined {
    return this.#dependencies.definition.owns.length > 0 ? this.ownings() : this.#owning;
  }

  ownings(): Owning {
    return (this.#owning ??= openOwning(this.#dependencies, this));
  }

  get client(): ControllerClient {
    const { scope } = this;
    const parts = { scope, reads: this.#reads, guards: this.#guards };
    return (this.#client ??= openClient(this.#dependencies, this, parts));
  }

  get wait(): ReturnType<typeof createWait> {
    const { definition } = this.#dependencies;
    return (this.#wait ??= createWait((name) => describeRef(definition, this.object, name)));
  }

  get log(): ReconcileLog {
    const { log, definition } = this.#dependencies;
    return (this.#log ??= guardLog(log, { controller: definition.name, object: this.scope.title }));
  }

  get recorder(): ObjectRecorder {
    return recorderOf(this.#dependencies, this.object);
  }

  status(fields: Readonly<Record<string, unknown>>): void {
    this.scope.assertRunning("status(…)");
    if (!isOptions(fields) || isThenable(fields))
      throw argumentError("status(…)", fields, "an object with its fields");
    this.#reads.writes("sets its status");
    refuseUndeclaredFields(this.#dependencies.definition, fields);
    setStatusFields(this.intent, fields);
  }

  condition(condition: ConditionIntent): void {
    const { type, status } = condition;
    const { definition } = this.#dependencies;
    checkCondition(condition);
    this.scope.assertRunning(`condition("${type}", …)`);
    this.#reads.writes("sets its status");
    const wanted = conditionBody(type, status);
    this.#guards({ kind: definition.kind, key: keyOf(this.object), wanted });
    setCondition(definition, this.intent, condition);
  }

  own(kind: Kind, given: readonly (KubeObject | LeftOut)[], options?: OwnOptions) {
    assertKind(kind, "own(…)");
    return this.scope.call(`own(${kind.kind}, …)`, async () => {
      const desired = desiredOf(kind, given, options);
      this.#reads.writes(`writes its ${kind.resource}`);
      for (const wanted of desired) {
        const { name, namespace = this.object.metadata.namespace } = wanted.metadata;
        const key = kind.scope === "Cluster" ? { name } : { name, namespace };
        this.#guards({ kind, key, wanted });
      }
      const objects = await this.ownings().own(kind, desired, options);
      for (const one of objects) this.scope.record.receives(kind, one);
      return objects;
    });
  }

  watch(kind: Kind, options?: Selection) {
    const { scope, object } = this;
    const { dynamicWatches, namespaces } = this.#dependencies;
    const read = async () => {
      checkOwnSelection(kind, options);
      scope.record.reads(kind);
      const selection = compileOwnSelection(kind, object, options);
      refuseUnwatched(`watch(${kind.kind})`, selection, namespaces);
      refuseNarrow(this.#dependencies, kind, selection);
      const key = formatObjectKey(object.metadata);
      const found = await dynamicWatches.read({ key, kind, selection, signal: scope.signal });
      return this.observe(found);
    };
    return scope.call(`watch(${kind?.kind})`, read, { isRead: true });
  }

  step<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    options: { readonly timeout?: string | number } = {},
  ): Promise<T> {
    const { scope } = this;
    const { runtime, stepping } = this.#dependencies;
    const key = formatObjectKey(this.object.metadata);
    const steps = { clock: runtime.clock, scope, stepping: stepping.bind(undefined, key) };
    return scope.call(`step(${typeof name === "string" ? `"${name}"` : "…"})`, async () => {
      checkStep(name, work, options);
      return runStep(steps, { name, work, timeout: options.timeout });
    });
  }
}

/** What a cache leaves out may match: all of the kind is cached from the next run on. */
function refuseNarrow(
  dependencies: ReconcileDependencies,
  kind: Kind,
  selection: CompiledSelection,
): void {
  const cached = dependencies.narrowing.selectionOf(kind);
  if (cached && !covers(cached, selection)) refuseBeyond(dependencies, kind, `watch(${kind.kind})`);
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

/** The client of the context; its default namespace is that of the object. */
function openClient(
  dependencies: ReconcileDependencies,
  { object, caller, observe }: Run,
  parts: Pick<ClientRun, "scope" | "reads" | "guards"> & { readonly scope: RunScope },
): ControllerClient {
  const { metadata } = object;
  const { namespace } = metadata;
  const inNamespace = caller.client.with(namespace === undefined ? {} : { namespace });
  const { runtime, names } = dependencies;
  const by = formatObjectKey(metadata);
  return createControllerClient(inNamespace, {
    ...parts,
    observe,
    runtime,
    manager: names.manager,
    applies: (kind, manifest, manager) => {
      const apply = { kind, manifest, manager, by, namespace: inNamespace.namespace };
      reportSharedApply(dependencies, apply, parts.scope.title);
    },
  });
}

function isOwned({ owns }: ControllerDefinition, kind: Kind): boolean {
  return owns.some((one) => kindId(one) === kindId(kind));
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

function openOwning(dependencies: ReconcileDependencies, { object, scope, caller }: Run): Owning {
  const { definition, namespaces, ownMemory, names, log } = dependencies;
  const { client } = caller;
  return createOwn({
    memory: ownMemory,
    isFinal: isFinal(object),
    hasOwnedElsewhere: definition.finalize === undefined,
    unseen: (message) => log.info(message),
    namespaces,
    owner: object,
    ownerKind: definition.kind,
    owns: definition.owns,
    manager: names.manager,
    client,
    protect: () => protectOwner(dependencies, object, client),
    informer: (kind) => (isOwned(definition, kind) ? dependencies.informer(kind) : undefined),
    overtaken: (error) => scope.markOvertaken(error),
    assertRunning: () => scope.assertGoingOn("own(…)"),
  });
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

const alwaysThere = ["conditions", "observedGeneration"];

/** The server would refuse the whole status, or drop the field in silence. */
function refuseUndeclaredFields({ kind, name }: ControllerDefinition, fields: object): void {
  const definition = definitionOfKind(kind);
  if (!definition || definition.status?.["x-kubernetes-preserve-unknown-fields"]) return;
  const { properties = {}, additionalProperties } = definition.status ?? {};
  const isDeclared = (field: string): boolean =>
    Object.hasOwn(properties, field) || alwaysThere.includes(field);
  const missing = additionalProperties
    ? undefined
    : Object.keys(fields).find((field) => !isDeclared(field));
  if (missing === undefined) return;
  throw new HomeostatError(
    "ERR_UNDECLARED",
    `"${name}" sets status.${missing}, which ${kind.kind} does not declare; it has ${Object.keys(properties).join(", ") || "none"}`,
    { hint: "add the field to the resource's `status`" },
  );
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
