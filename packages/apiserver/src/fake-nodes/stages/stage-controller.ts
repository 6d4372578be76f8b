// Plays the stages of one kind: matches an object, waits for the delay of the stage, and applies
// its effect. Built-in stages apply only to objects that no custom stage matches. Independent of
// kinds.
// Upstream: sigs.k8s.io/kwok/pkg/kwok/controllers/stage_controller.go.
import { isConflict, isNotFound, parseObjectKey, type Kind } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { type Runtime, unitInterval } from "homeostat/runtime";
import { objectReference, type EventRecorder } from "homeostat/events";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import type { PodAction, Stage } from "./stage.ts";
import { isApplied, stageWrites, type StageWrite } from "./stage-effect.ts";
import type { StageEnvironment } from "./stage-functions.ts";

/** The kind and its stages. */
export interface StageControllerOptions<O extends ApiObject> {
  readonly kind: Kind<O>;
  readonly informer: Informer<Kind<O>>;
  readonly custom: readonly Stage[];
  readonly builtIn: readonly Stage[];
  /** The environment of an object. Undefined skips the object. */
  readonly environmentOf: (object: O) => StageEnvironment | undefined;
  /** The status of an object after an action of the kubelet. */
  readonly statusAfter?: (object: O, action: PodAction, environment: StageEnvironment) => object;
  readonly statusType: "merge" | "strategic";
}

interface StageControllerContext {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly recorder: EventRecorder;
}

/** The due time on the monotonic clock, and the fields that the delay was computed from. */
interface Due {
  readonly at: number;
  readonly basis: string;
}

export class StageController<O extends ApiObject> {
  readonly #options: StageControllerOptions<O>;
  readonly #context: StageControllerContext;
  readonly #custom: Lifecycle;
  readonly #builtIn: Lifecycle;
  /** Due times by stage name, by uid of the object. */
  readonly #due = new Map<string, Map<string, Due>>();

  constructor(options: StageControllerOptions<O>, context: StageControllerContext) {
    this.#options = options;
    this.#context = context;
    this.#custom = createLifecycle(options.custom);
    this.#builtIn = createLifecycle(options.builtIn);
  }

  forget(uid: string): void {
    this.#due.delete(uid);
  }

  /** Plays the stage of an object that is due. Resolves to the milliseconds until the next one. */
  async sync(key: string): Promise<number | undefined> {
    const object = this.#options.informer.get(parseObjectKey(key)) as O | undefined;
    const environment = object && this.#options.environmentOf(object);
    if (!object || !environment) return undefined;
    const candidates = this.#candidates(object);
    const delayed = this.#delays(candidates, object, environment);
    let nextMs: number | undefined;
    for (const { stage, leftMs } of delayed) {
      const writes = this.#writes(stage, object, environment);
      if (!this.#hasEffect(stage, object, writes)) continue;
      if (leftMs > 0) nextMs = Math.min(nextMs ?? leftMs, leftMs);
      else {
        await this.#playStage(stage, object, writes);
        return undefined;
      }
    }
    return nextMs;
  }

  /** The chosen custom stage, kept while it matches; else all matching built-in stages. */
  #candidates(object: O): readonly { readonly stage: Stage; readonly lifecycle: Lifecycle }[] {
    const matching = this.#custom.matching(object);
    if (matching.length === 0)
      return this.#builtIn.matching(object).map((stage) => ({ stage, lifecycle: this.#builtIn }));
    const chosen =
      matching.find(({ name }) => this.#due.get(object.metadata.uid)?.has(name)) ??
      this.#custom.pick(matching, object, unitInterval(this.#context.runtime.entropy));
    return chosen ? [{ stage: chosen, lifecycle: this.#custom }] : [];
  }

  /**
   * The remaining delay of each stage. A delay restarts when the stage matches again, or when the
   * fields that it depends on change.
   */
  #delays(
    candidates: readonly { readonly stage: Stage; readonly lifecycle: Lifecycle }[],
    object: O,
    { now }: StageEnvironment,
  ): readonly { readonly stage: Stage; readonly leftMs: number }[] {
    const { clock, entropy } = this.#context.runtime;
    const before = this.#due.get(object.metadata.uid);
    const at = clock.monotonic();
    const dueOf = ({
      stage,
      lifecycle,
    }: {
      readonly stage: Stage;
      readonly lifecycle: Lifecycle;
    }): Due => {
      const basis = lifecycle.delayBasis(stage, object);
      const kept = before?.get(stage.name);
      return kept?.basis === basis
        ? kept
        : {
            basis,
            at:
              at +
              (stage.after
                ? lifecycle.delayMs(stage, object, { now, chance: unitInterval(entropy) })
                : 0),
          };
    };
    const due = new Map(candidates.map((each) => [each.stage.name, dueOf(each)]));
    this.#due.set(object.metadata.uid, due);
    return candidates.map(({ stage }) => ({ stage, leftMs: due.get(stage.name)!.at - at }));
  }

  #writes({ next = {} }: Stage, object: O, environment: StageEnvironment): readonly StageWrite[] {
    const { statusAfter, statusType } = this.#options;
    const statusWrites =
      next.pod && statusAfter
        ? [
            {
              type: "strategic" as const,
              subresource: "status",
              body: { status: statusAfter(object, next.pod, environment) },
            },
          ]
        : [];
    return [
      ...statusWrites,
      ...stageWrites(next, { object: object as never, environment, statusType }),
    ];
  }

  #hasEffect({ next = {} }: Stage, object: O, writes: readonly StageWrite[]): boolean {
    if (next.delete) return object.metadata.deletionGracePeriodSeconds !== 0;
    return (
      next.event !== undefined ||
      writes.some(({ type, body }) => type === "json" || !isApplied(object, body))
    );
  }

  async #playStage(
    { name, next = {} }: Stage,
    object: O,
    writes: readonly StageWrite[],
  ): Promise<void> {
    const { client } = this.#context;
    const { kind } = this.#options;
    const { name: of, namespace, uid, resourceVersion } = object.metadata;
    const key = namespace === undefined ? of : { name: of, namespace };
    this.#due.get(uid)?.delete(name);
    let revision: string | undefined = resourceVersion;
    try {
      for (const { type, subresource, body } of writes) {
        // A conflict means that the object has changed since; its update is processed anew.
        const guarded = type === "json" ? body : withMeta(body, { uid, resourceVersion: revision });
        const after = (await client.patch(
          kind,
          key,
          { type, body: guarded } as never,
          subresource === undefined ? {} : { subresource },
        )) as ApiObject;
        revision = after.metadata.resourceVersion;
      }
      if (next.event)
        this.#context.recorder.record({
          regarding: objectReference(kind, object),
          type: next.event.type,
          reason: next.event.reason,
          note: next.event.message,
        });
      if (next.delete)
        await client.delete(kind, key, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

const withMeta = (body: unknown, more: object): object => ({
  ...(body as object),
  metadata: { ...(body as { readonly metadata?: object }).metadata, ...more },
});
