// Plays the stages of one kind: finds the stage that fits an object, waits until it is due, and
// writes what it says. Stages that were given come first; the built-in ones are for objects that
// none of those fits. Knows no kind.
// Upstream: sigs.k8s.io/kwok/pkg/kwok/controllers/stage_controller.go.
import { isConflict, isNotFound, parseObjectKey, type Kind } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { type Runtime, unitInterval } from "homeostat/runtime";
import { objectReference, type EventRecorder } from "homeostat/events";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { openStageBook, type StageBook } from "./choose-stage.ts";
import type { PodAction, Stage } from "./stage.ts";
import { saysAlready, stageWrites, type StageWrite } from "./stage-effect.ts";
import type { StageWorld } from "./stage-functions.ts";

/** The kind that is played. */
export interface StagePlay<O extends ApiObject> {
  readonly kind: Kind<O>;
  readonly informer: Informer<Kind<O>>;
  readonly given: readonly Stage[];
  readonly builtIn: readonly Stage[];
  /** What stages may know of an object's world; undefined leaves the object alone. */
  readonly worldOf: (object: O) => StageWorld | undefined;
  /** The status that an action of the kubelet leads to. */
  readonly statusAfter?: (object: O, action: PodAction, world: StageWorld) => object;
  readonly statusType: "merge" | "strategic";
}

interface PlayContext {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly recorder: EventRecorder;
}

/** A moment on the monotonic clock, and what was said of the delay when it was fixed. */
interface Due {
  readonly at: number;
  readonly basis: string;
}

export class StagePlayer<O extends ApiObject> {
  readonly #play: StagePlay<O>;
  readonly #context: PlayContext;
  readonly #given: StageBook;
  readonly #builtIn: StageBook;
  /** When stages are due, by name, for each object by uid. */
  readonly #due = new Map<string, Map<string, Due>>();

  constructor(play: StagePlay<O>, context: PlayContext) {
    this.#play = play;
    this.#context = context;
    this.#given = openStageBook(play.given);
    this.#builtIn = openStageBook(play.builtIn);
  }

  forget(uid: string): void {
    this.#due.delete(uid);
  }

  /** Plays the stage of one object that is due; resolves to the time until the one that is not. */
  async look(key: string): Promise<number | undefined> {
    const object = this.#play.informer.get(parseObjectKey(key)) as O | undefined;
    const world = object && this.#play.worldOf(object);
    if (!object || !world) return undefined;
    const candidates = this.#candidates(object);
    const waiting = this.#wait(candidates, object, world);
    let nextMs: number | undefined;
    for (const { stage, leftMs } of waiting) {
      const writes = this.#writes(stage, object, world);
      if (!this.#doesAnything(stage, object, writes)) continue;
      if (leftMs > 0) nextMs = Math.min(nextMs ?? leftMs, leftMs);
      else {
        await this.#take(stage, object, writes);
        return undefined;
      }
    }
    return nextMs;
  }

  /** One of those given, kept until it no longer fits; else all of the built-in ones. */
  #candidates(object: O): readonly { readonly stage: Stage; readonly book: StageBook }[] {
    const given = this.#given.matching(object);
    if (given.length === 0)
      return this.#builtIn.matching(object).map((stage) => ({ stage, book: this.#builtIn }));
    const chosen =
      given.find(({ name }) => this.#due.get(object.metadata.uid)?.has(name)) ??
      this.#given.pick(given, object, unitInterval(this.#context.runtime.entropy));
    return chosen ? [{ stage: chosen, book: this.#given }] : [];
  }

  /**
   * How long each has to wait; those that no longer fit begin anew when they fit again, or when
   * another delay is asked for.
   */
  #wait(
    candidates: readonly { readonly stage: Stage; readonly book: StageBook }[],
    object: O,
    { now }: StageWorld,
  ): readonly { readonly stage: Stage; readonly leftMs: number }[] {
    const { clock, entropy } = this.#context.runtime;
    const before = this.#due.get(object.metadata.uid);
    const at = clock.monotonic();
    const dueOf = ({ stage, book }: { readonly stage: Stage; readonly book: StageBook }): Due => {
      const basis = book.delayBasis(stage, object);
      const kept = before?.get(stage.name);
      return kept?.basis === basis
        ? kept
        : {
            basis,
            at:
              at +
              (stage.after
                ? book.delayMs(stage, object, { now, chance: unitInterval(entropy) })
                : 0),
          };
    };
    const due = new Map(candidates.map((each) => [each.stage.name, dueOf(each)]));
    this.#due.set(object.metadata.uid, due);
    return candidates.map(({ stage }) => ({ stage, leftMs: due.get(stage.name)!.at - at }));
  }

  #writes({ next = {} }: Stage, object: O, world: StageWorld): readonly StageWrite[] {
    const { statusAfter, statusType } = this.#play;
    const followed =
      next.pod && statusAfter
        ? [
            {
              type: "strategic" as const,
              subresource: "status",
              body: { status: statusAfter(object, next.pod, world) },
            },
          ]
        : [];
    return [...followed, ...stageWrites(next, { object: object as never, world, statusType })];
  }

  #doesAnything({ next = {} }: Stage, object: O, writes: readonly StageWrite[]): boolean {
    if (next.delete)
      return (
        (object.metadata as { readonly deletionGracePeriodSeconds?: number })
          .deletionGracePeriodSeconds !== 0
      );
    return (
      next.event !== undefined ||
      writes.some(({ type, body }) => type === "json" || !saysAlready(object, body))
    );
  }

  async #take({ name, next = {} }: Stage, object: O, writes: readonly StageWrite[]): Promise<void> {
    const { client } = this.#context;
    const { kind } = this.#play;
    const { name: of, namespace, uid, resourceVersion } = object.metadata;
    const key = namespace === undefined ? of : { name: of, namespace };
    this.#due.get(uid)?.delete(name);
    let revision: string | undefined = resourceVersion;
    try {
      for (const { type, subresource, body } of writes) {
        // What was decided on another state of the object is not written: the new state comes by,
        // and is decided on.
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
