// The context of one call of the user's code, and the record of the call: the status it set, its
// writes, and work that is still open.
import { parseDuration } from "../api/duration.ts";
import { formatObjectKey } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import type { ResourceDefinition } from "../api/resource/define-resource.ts";
import type { Client } from "../client/client.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { createControllerClient } from "./controller-client.ts";
import { withDeadline } from "./deadline.ts";
import type {
  Context,
  ControllerDefinition,
  OwnOptions,
  ReconcileLog,
} from "./define-controller.ts";
import { createWait, retry } from "./outcome.ts";
import { createOwn } from "./own/create-own.ts";
import type { ReconcileCall, ReconcileDependencies } from "./reconcile-dependencies.ts";
import { resolveRefs, type TargetInformer } from "./resolve-refs.ts";
import {
  createStatusIntent,
  type StatusIntent,
  type ConditionIntent,
  setStatusFields,
} from "./status-intent.ts";

/** One running call. */
export interface Run {
  readonly object: KubeObject;
  readonly context: Context<any, any, any>;
  readonly intent: StatusIntent;
  /** Appended to while the call runs. */
  readonly writes: { readonly wrote: string[]; readonly revisions: string[] };
  /**
   * Waits for work that the user's code did not await. @throws ERR_NOT_AWAITED if there was any.
   */
  settleOpen(): Promise<void>;
}

/** Prepares a call on `object`. */
export function createRun(
  dependencies: ReconcileDependencies,
  object: KubeObject,
  client: Client,
  call: ReconcileCall,
): Run {
  const { definition } = dependencies;
  const title = `${definition.kind.kind} ${formatObjectKey(object.metadata)}`;
  const intent = createStatusIntent();
  const writes = { wrote: [] as string[], revisions: [] as string[] };
  const open = new OpenWork();
  const context = {
    object,
    refs: resolveRefs(definition, object, {
      namespace: dependencies.namespace,
      informer: (kind) => dependencies.informer(kind) as TargetInformer | undefined,
    }),
    ...ownAndStep({ dependencies, object, client, call, open, writes }),
    status: (fields: Readonly<Record<string, unknown>>) => setStatusFields(intent, fields),
    condition: (type: string, status: ConditionIntent["status"], reason: string, message = "") =>
      setCondition(definition, intent, { type, status, reason, message }),
    wait: createWait((name) => describeRef(definition, object, name)),
    retry,
    client: createControllerClient(
      client.with(
        object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace },
      ),
    ),
    log: bindLog(dependencies.log, { controller: definition.name, object: title }),
    signal: call.signal,
  };
  return {
    object,
    context: context as unknown as Context<any, any, any>,
    intent,
    writes,
    settleOpen: () => open.settle(title),
  };
}

interface OpenRun {
  readonly dependencies: ReconcileDependencies;
  readonly object: KubeObject;
  readonly client: Client;
  readonly call: ReconcileCall;
  readonly open: OpenWork;
  readonly writes: Run["writes"];
}

/** The functions of the context that the user's code must await. */
function ownAndStep({ dependencies, object, client, call, open, writes }: OpenRun) {
  const key = formatObjectKey(object.metadata);
  const own = createOwn({
    owner: object,
    ownerKind: dependencies.definition.kind,
    manager: dependencies.names.manager,
    client,
    informer: (kind) => dependencies.informer(kind),
    wrote(what, { metadata }) {
      writes.wrote.push(what);
      writes.revisions.push(metadata.resourceVersion);
    },
  });
  return {
    own: (kind: Kind, desired: readonly KubeObject[], options?: OwnOptions) =>
      open.track(`own(${kind.kind}, …)`, own(kind, desired, options)),
    step: <T>(
      name: string,
      work: (signal: AbortSignal) => Promise<T>,
      options: { readonly timeout?: string | number } = {},
    ) =>
      open.track(
        `step("${name}")`,
        runStep(dependencies, call, key, { name, work, timeout: options.timeout }),
      ),
  };
}

/** Promises that the user's code has received and that have not settled. */
class OpenWork {
  readonly #open = new Map<Promise<unknown>, string>();

  /** Prevents unhandled rejections: `settle` reports work that is not awaited. */
  track<T>(what: string, work: Promise<T>): Promise<T> {
    this.#open.set(work, what);
    const close = (): void => void this.#open.delete(work);
    work.then(close, close);
    return work;
  }

  async settle(object: string): Promise<void> {
    if (this.#open.size === 0) return;
    const names = [...this.#open.values()];
    await Promise.allSettled(this.#open.keys());
    throw new HomeostatError(
      "ERR_NOT_AWAITED",
      `${names.join(", ")} of ${object} was not awaited; its result and its errors would be lost`,
      { hint: "write `await` in front of it" },
    );
  }
}

function setCondition(
  { kind, name }: ControllerDefinition,
  intent: StatusIntent,
  condition: ConditionIntent,
): void {
  const known = (kind as { readonly definition?: ResourceDefinition }).definition?.conditions;
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

interface Step<T> {
  readonly name: string;
  readonly work: (signal: AbortSignal) => Promise<T>;
  readonly timeout: string | number | undefined;
}

async function runStep<T>(
  { definition, runtime, stepping }: ReconcileDependencies,
  call: ReconcileCall,
  key: string,
  { name, work, timeout }: Step<T>,
): Promise<T> {
  stepping(key, name);
  const finish = await withDeadline(
    runtime.clock,
    timeout === undefined ? undefined : parseDuration(timeout),
    call.signal,
    work,
  );
  stepping(key, undefined);
  if (finish.at === "settled") return finish.value;
  if (finish.at === "abandoned") call.outliving(finish.settled);
  const problem =
    finish.at === "abandoned"
      ? describeLate(timeout)
      : `failed: ${finish.error instanceof Error ? finish.error.message : String(finish.error)}`;
  throw new HomeostatError(
    "ERR_STEP",
    `step "${name}" of ${definition.kind.kind} ${key} ${problem}`,
    {
      hint: "see the cause; the reconcile is retried",
      cause: finish.at === "failed" ? finish.error : undefined,
    },
  );
}

function describeLate(timeout: string | number | undefined): string {
  if (timeout === undefined) return "did not stop when its signal aborted";
  return `took longer than ${typeof timeout === "number" ? `${timeout} ms` : timeout}`;
}

function describeRef(definition: ControllerDefinition, object: KubeObject, name: string): string {
  const declared = definition.refs[name];
  if (!declared) return name;
  const targets = [declared.select(object)].flat().filter((target) => target !== undefined);
  const keys = targets.map((target) =>
    typeof target === "string" ? `"${target}"` : `"${target.namespace}/${target.name}"`,
  );
  return `${declared.target.kind} ${keys.join(", ") || `(${name}: no target)`}`;
}

function bindLog(log: ReconcileLog, bound: Readonly<Record<string, unknown>>): ReconcileLog {
  return {
    debug: (message, fields) => log.debug(message, { ...bound, ...fields }),
    info: (message, fields) => log.info(message, { ...bound, ...fields }),
    warn: (message, fields) => log.warn(message, { ...bound, ...fields }),
    error: (message, fields) => log.error(message, { ...bound, ...fields }),
  };
}
