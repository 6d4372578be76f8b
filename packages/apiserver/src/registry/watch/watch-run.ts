// One watch from its first event to its end: initial events, changes, bookmarks, timeout, expiry.
// Events are sent in the order of the store, and none is lost between the initial state and the
// first change.
// Upstream: k8s.io/apiserver/pkg/storage/cacher (cacher.go, cache_watcher.go),
// pkg/endpoints/handlers/watch.go.
import type { JsonObject } from "homeostat/api";
import type { Timer } from "homeostat/runtime";
import type { StreamSink } from "../../apimachinery/handler.ts";
import type { Revision } from "../../storage/store.ts";
import { statusOf } from "../response/error-response.ts";
import { expiredError } from "../../apimachinery/errors/api-errors.ts";
import type { CoreServices } from "../scope/core-services.ts";
import { convertAll } from "../read/convert-all.ts";
import { waitForRevision } from "../read/resource-version.ts";
import type { Selection } from "../revisions/selection.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { bookmarkObject } from "../revisions/watch-frames.ts";
import { PushStream } from "./push-stream.ts";
import { selectEvent } from "../revisions/watch-event.ts";
import type { WatchEncoder } from "./watch-encoder.ts";

/** How a watch is served, settled before the stream opens. */
export interface WatchPlan {
  readonly selection: Selection;
  readonly encoder: WatchEncoder;
  /** 0: from now, or from the current objects. */
  readonly revision: number;
  /** What is sent first. */
  readonly start: "initial objects" | "initial objects and bookmark" | "changes";
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly resource: ServedResource;
}

const bookmarkEveryMs = 60_000;
/** A last bookmark is sent this long before the end, so that the client can resume where it was. */
const lastBookmarkMs = 2_000;

/** A running watch. */
export class WatchRun {
  readonly stream: PushStream;
  readonly #core: CoreServices;
  readonly #plan: WatchPlan;
  readonly #timers = new Set<Timer>();
  #subscription: { stop(): void } | undefined;
  /** Changes that wait for a webhook, and when the last of them has come. */
  #converting = 0;
  #converted: Promise<void> = Promise.resolve();
  readonly #end = (): void => this.stream.end();

  constructor(core: CoreServices, plan: WatchPlan, sink: StreamSink) {
    this.#core = core;
    this.#plan = plan;
    this.stream = new PushStream(sink, () => this.#ended());
    core.openWatches.add(plan.resource.storageKey, this.#end);
    if (plan.timeoutMs < 0) this.stream.end();
    else if (plan.start === "changes") {
      this.#after(plan.timeoutMs, this.#end);
      this.#follow(plan.revision || core.store.revision());
    } else void this.#startWithObjects();
  }

  async #startWithObjects(): Promise<void> {
    const { store } = this.#core;
    try {
      if (this.#plan.revision > store.revision())
        await waitForRevision(this.#core, this.#plan.revision);
      // Upstream's timeout begins when the watch has its first state.
      this.#after(this.#plan.timeoutMs, this.#end);
      if (this.stream.open) await this.#sendObjects();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #sendObjects(): Promise<void> {
    const listing = this.#core.store.list(this.#plan.selection.prefix);
    if (typeof listing === "string")
      return this.#fail(expiredError("The resourceVersion for the provided watch is too old."));
    const { resource } = this.#plan;
    const items = resource.codec.remote
      ? await convertAll(this.#core, resource, listing.items)
      : listing.items;
    this.stream.feed(initialFrames(this.#plan, { items, revision: listing.revision }), () => {
      try {
        this.#follow(listing.revision);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** Sends the changes after `revision`, which may lie ahead. */
  #follow(revision: number): void {
    const { store } = this.#core;
    const from = Math.min(revision, store.revision());
    const subscription = this.stream.withoutLimit(() =>
      store.since(this.#plan.selection.prefix, from, (change) => {
        if (change.revision > revision) this.#push(change);
      }),
    );
    if (subscription === "compacted")
      return this.#fail(
        expiredError(`too old resource version: ${revision} (${store.compacted()})`),
      );
    if (subscription === "future")
      throw new Error(
        `watch ${this.#plan.selection.prefix} from ${from}: the store went back in time`,
      );
    if (!this.stream.open) return subscription.stop();
    this.#subscription = subscription;
    if (this.#plan.bookmarks) this.#scheduleBookmarks();
  }

  #push(change: Revision): void {
    const { resource } = this.#plan;
    if (!resource.codec.remote) return this.#pushShown(change);
    // Events stay in order, and end with the first that the webhook does not convert.
    this.#converting++;
    this.#converted = this.#converted
      .then(() => this.#core.conversions.withPrevious(resource, change))
      .then((shown) => this.#pushShown(shown))
      .then(
        () => void this.#converting--,
        () => this.stream.end(),
      );
  }

  #pushShown(change: Revision): void {
    const event = selectEvent(this.#plan.selection, change);
    if (!event) return;
    const { encoder } = this.#plan;
    const shown = event.departed ? this.#core.representations.departed(change) : change;
    if (encoder.change && this.stream.takesChanges)
      this.stream.change(encoder.change(event.type, shown));
    else this.stream.push(encoder.event(event.type, shown));
  }

  #scheduleBookmarks(): void {
    const every = (): void => {
      this.#bookmark();
      this.#after(bookmarkEveryMs, every);
    };
    this.#after(bookmarkEveryMs, every);
    if (this.#plan.timeoutMs > lastBookmarkMs)
      this.#after(this.#plan.timeoutMs - lastBookmarkMs, () => this.#bookmark());
  }

  /** A busy receiver gets no bookmark: it has not seen everything. */
  #bookmark(): void {
    const revision = this.#core.store.revision();
    if (!this.stream.busy && !this.#converting && revision >= this.#plan.revision)
      this.stream.push(
        this.#plan.encoder.bookmark(bookmarkObject(this.#plan.resource, revision, "")),
      );
  }

  #fail(error: unknown): void {
    this.stream.push(this.#plan.encoder.error(statusOf(error) as unknown as JsonObject));
    this.stream.end();
  }

  #after(ms: number, run: () => void): void {
    if (!this.stream.open) return;
    const timer = this.#core.runtime.clock.timer(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }

  #ended(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#subscription?.stop();
    this.#core.openWatches.remove(this.#plan.resource.storageKey, this.#end);
  }
}

/** A watch that begins with objects. */
function* initialFrames(
  { selection, encoder, start, bookmarks, resource }: WatchPlan,
  { items, revision }: { readonly items: Iterable<Revision>; readonly revision: number },
): Generator<Uint8Array> {
  for (const item of items) if (selection.matches(item)) yield encoder.event("ADDED", item);
  if (start === "initial objects and bookmark" && bookmarks)
    yield encoder.bookmark(bookmarkObject(resource, revision, "ends initial events"));
}
