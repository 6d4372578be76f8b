// Drives the reflector machine: opens lists and watches, splits their bytes into objects, and sets
// its timers. Does not know what happens to the objects; leaves all decisions to the machine.
// Upstream: k8s.io/client-go/tools/cache/reflector.go.
import type { Kind } from "../api/kind.ts";
import { compareResourceVersions } from "../api/resource-version.ts";
import type { Status } from "../api/status.ts";
import type { ObjectChange } from "../api/transport.ts";
import type { Client } from "../client/client.ts";
import { listMismatch } from "../client/check-answer.ts";
import { LineSplitter } from "../client/line-splitter.ts";
import { decodeJson } from "../client/request/decode-json.ts";
import { askForMetadata, listRequest, watchRequest } from "../client/request/object-requests.ts";
import type { Timer } from "../runtime/clock.ts";
import { unitInterval } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { freshnessDeadline, freshnessOf } from "./freshness.ts";
import type { Freshness, InformerScope } from "./informer.ts";
import { reflectorDeadline } from "./reflector-deadline.ts";
import { askRevision } from "./ask-revision.ts";
import { CurrentExchange } from "./current-exchange.ts";
import type { ObjectSource, ReflectorSink } from "./reflector-sink.ts";
import { readBookmark } from "./read-bookmark.ts";
import { statusFault, toFault, unreadableEvent } from "./reflector-fault.ts";
import { stepReflector } from "./reflector.machine.ts";
import {
  idleReflector,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorLimits,
  type ReflectorState,
} from "./reflector-state.ts";
import { splitEvent, splitList } from "./split-list.ts";

export interface ReflectorOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly kind: Kind;
  /** Asked before every request: it may become wider. */
  scope(): InformerScope;
  readonly limits: ReflectorLimits;
  readonly sink: ReflectorSink;
}

type WatchEffect = Extract<ReflectorEffect, { readonly do: "watch" }>;

const longSeconds = { least: 300, span: 300 } as const;
/** An attempt that is open for this long holds. */
const holdsMs = 500;

/** A running reflector. */
export class Reflector {
  readonly #options: ReflectorOptions;
  #state: ReflectorState = idleReflector();
  readonly #exchange: CurrentExchange;
  #timer: Timer | undefined;
  #waiting: Timer | undefined;
  #holding: Timer | undefined;
  #counted: { remove(): void } | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#exchange = new CurrentExchange({
      client: options.client,
      clock: options.runtime.clock,
      contact: () => this.#input({ type: "contact" }),
      failed: (error) => this.#failed(error),
      late: (lateMs) => this.#input({ type: "late", lateMs }),
    });
  }

  start(): void {
    this.#counted ??= this.#options.client.pace.addWatch(() => this.#input({ type: "doubted" }));
    this.#input({ type: "start" });
  }

  stop(): void {
    this.#input({ type: "stop" });
    this.#timer?.cancel();
    this.#waiting?.cancel();
    this.#holding?.cancel();
    this.#exchange.end();
    this.#counted?.remove();
  }

  /** Relists because the cache differs from the server. */
  distrust(reason: string): void {
    this.#input({ type: "distrust", reason });
  }

  /** Lists again, since its scope has become wider. */
  widened(): void {
    this.#input({ type: "widened" });
  }

  freshness(): Freshness {
    const { clock } = this.#options.runtime;
    const now = clock.monotonic();
    return freshnessOf(this.#state, now, clock.now() - now, this.#options.limits);
  }

  #input(input: ReflectorInput): void {
    const before = this.#state;
    const { state, effects } = stepReflector(
      before,
      input,
      this.#options.runtime.clock.monotonic(),
      this.#options.limits,
    );
    this.#state = state;
    for (const effect of effects) this.#run(effect);
    if (before.failures > 0 && state.failures === 0) this.#holds();
    if (
      state.phase === before.phase &&
      state.failures === before.failures &&
      input.type !== "tick" &&
      input.type !== "opened"
    )
      return;
    this.#arm();
    this.#options.sink.freshnessChanged(this.freshness());
  }

  #run(effect: ReflectorEffect): void {
    switch (effect.do) {
      case "gather":
        return this.#options.sink.gather();
      case "list":
        return this.#list(effect.limit, effect.continue);
      case "watch":
        return this.#watch(effect);
      case "replace":
        return this.#options.sink.replace(effect.resourceVersion, {
          isRestored: effect.isRestored === true,
        });
      case "complain":
        return this.#options.sink.complained(effect.message);
      case "forget":
        return this.#options.sink.forget();
      case "progress":
        return this.#options.sink.progress(effect.resourceVersion);
      case "wait":
        this.#waiting = this.#options.client.pace.wait(
          effect.ms,
          () => this.#input({ type: "due" }),
          { lane: "watch", failures: this.#state.failures },
        );
        return;
      case "doubt":
        return this.#options.client.pace.suspect();
      case "verify":
        return void this.#verify();
      case "linger":
        return this.#linger();
      case "close":
        return this.#exchange.close();
    }
  }

  /** Reads a whole page before the machine learns of it; incomplete pages are discarded. */
  #list(limit: number, token: string): void {
    const { kind, sink } = this.#options;
    const scope = this.#options.scope();
    const chunks: Uint8Array[] = [];
    const request = listRequest(kind, { ...scope, limit, ...(token ? { continue: token } : {}) });
    this.#exchange.open(scope.metadataOnly ? askForMetadata(request, "list") : request, {
      opened: () => this.#input({ type: "contact" }),
      data: (chunk) => void chunks.push(chunk),
      ended: () => {
        const page = splitList(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
        if (!page) throw new Error(`expected a list of ${kind.resource}, got something else`);
        const mismatch = listMismatch(kind, page);
        if (mismatch) throw new Error(`expected ${mismatch}`);
        for (const item of page.items) sink.gathered(item);
        this.#input({
          type: "page",
          resourceVersion: page.resourceVersion,
          continue: page.continue,
        });
      },
    });
  }

  #watch({ resourceVersion, sendInitialEvents, timeoutMs }: WatchEffect): void {
    const { kind } = this.#options;
    const scope = this.#options.scope();
    const timeoutSeconds = this.#timeoutSeconds(timeoutMs);
    const epoch = this.#exchange.epoch + 1;
    const splitter = new LineSplitter((line) => epoch === this.#exchange.epoch && this.#line(line));
    const request = watchRequest(kind, {
      ...scope,
      allowWatchBookmarks: true,
      timeoutSeconds,
      ...(sendInitialEvents ? { sendInitialEvents } : {}),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    });
    this.#exchange.open(scope.metadataOnly ? askForMetadata(request, "object") : request, {
      opened: () => {
        this.#input({ type: "opened", timeoutMs: timeoutSeconds * 1000 });
        const { failures, suspectSince } = this.#state;
        if (failures > 0 && suspectSince === undefined) this.#holds();
      },
      data: (chunk) => splitter.push(chunk),
      ...(scope.metadataOnly && {
        change: (change) => this.#changed(change.type, change),
      }),
      ended: () => {
        if (splitter.pending) throw new Error("the server ended the watch within an event");
        this.#input({ type: "ended" });
      },
    });
  }

  #timeoutSeconds(timeoutMs: number | undefined): number {
    const { runtime, client, limits } = this.#options;
    if (timeoutMs === undefined)
      return longSeconds.least + Math.floor(unitInterval(runtime.entropy) * longSeconds.span);
    if (timeoutMs < limits.renewMs) return Math.max(1, Math.round(timeoutMs / 1000));
    const fewer = Math.round(unitInterval(runtime.entropy));
    return Math.max(1, Math.round(client.pace.watchMs(timeoutMs) / 1000) - fewer);
  }

  /** Wakes the others that wait once this attempt after a failure has been open for a while. */
  #holds(): void {
    const { epoch } = this.#exchange;
    const { runtime, client } = this.#options;
    const open = runtime.clock.monotonic() - this.#state.openedAt;
    this.#holding?.cancel();
    if (open >= holdsMs) return client.pace.recovered();
    this.#holding = runtime.clock.timer(holdsMs - open, () => {
      if (epoch === this.#exchange.epoch) client.pace.recovered();
    });
  }

  /** Gives the current watch up, but listens to it for as long as a watch lives. */
  #linger(): void {
    const { openedAt, timeoutMs } = this.#state;
    this.#exchange.linger(openedAt + timeoutMs, this.#options.limits.renewMs);
  }

  /**
   * Compares with the revision that the server counts. Another kind's will do when it is not less:
   * kinds may be counted apart, so that a lesser one proves nothing.
   */
  async #verify(): Promise<void> {
    const { client, kind, scope } = this.#options;
    const ask = (): Promise<string | undefined> => askRevision(client, kind, scope());
    const shared = await client.pace.revision(ask);
    const { resourceVersion: ours = "" } = this.#state;
    if (shared === undefined) return;
    const isAhead = (compareResourceVersions(shared, ours) ?? -1) >= 0;
    const resourceVersion = isAhead ? shared : await ask();
    if (resourceVersion) this.#input({ type: "verified", resourceVersion });
  }

  #failed(error: unknown): void {
    this.#input({ type: "failed", fault: toFault(error, this.#options.kind) });
  }

  #line(line: Uint8Array): void {
    try {
      const event = splitEvent(line);
      if (!event) throw new Error("expected a watch event");
      this.#event(event.type, event.object);
    } catch (error) {
      this.#input({ type: "failed", fault: unreadableEvent(line, error) });
    }
  }

  #event(type: string, object: Uint8Array): void {
    switch (type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return this.#changed(type, object);
      case "BOOKMARK":
        return this.#input({ type: "bookmark", ...readBookmark(object) });
      case "ERROR":
        return this.#input({
          type: "failed",
          fault: statusFault(decodeJson(object) as unknown as Status),
        });
      default:
        throw new Error(`expected a watch event of a known type, got ${JSON.stringify(type)}`);
    }
  }

  #changed(type: ObjectChange["type"], object: ObjectSource): void {
    const { sink } = this.#options;
    if (this.#state.phase === "watching") {
      const resourceVersion = sink.changed(type, object);
      if (resourceVersion !== undefined) this.#input({ type: "event", resourceVersion });
    } else if (type === "DELETED") sink.ungathered(object);
    else if (sink.gathered(object)) this.#input({ type: "gained" });
  }

  #arm(): void {
    const { clock } = this.#options.runtime;
    const now = clock.monotonic();
    const due = Math.min(
      reflectorDeadline(this.#state, this.#options.limits),
      freshnessDeadline(this.#state, now, this.#options.limits) + 1,
    );
    this.#timer?.cancel();
    if (due < Infinity)
      this.#timer = clock.timer(Math.max(1, due - now), () => this.#input({ type: "tick" }));
  }
}
