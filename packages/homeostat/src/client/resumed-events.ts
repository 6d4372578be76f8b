// A watch that goes on after its stream has ended: from the last resourceVersion seen, bookmarks
// included, until the server refuses.
// Upstream: k8s.io/client-go/tools/watch/retrywatcher.go.
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { isApiStatusError } from "../api/status.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import type { ByteStreamHandlers, WatchEvent, WatchOptions } from "./client.ts";
import { toError } from "./exchange.ts";
import { type Inbox, type OpenStream, readStream } from "./read-stream.ts";
import type { ServerPace } from "./server-pace.ts";
import { eventHandlers } from "./watch-events.ts";

/** Pause before the first attempt; it doubles while attempts fail. client-go: minRestartDelay. */
const firstPauseMs = 1000;
const maxPauseMs = 30_000;

export interface ResumeContext {
  readonly runtime: Runtime;
  readonly pace: Pick<ServerPace, "wait">;
  readonly signals: readonly AbortSignal[];
  readonly open: (options: WatchOptions, handlers: ByteStreamHandlers) => OpenStream;
}

/** @throws ERR_ARGUMENT without a resourceVersion that a list has answered */
export function checkResumable(
  { kind }: Kind,
  { resourceVersion, sendInitialEvents }: WatchOptions,
): void {
  const isExact = resourceVersion !== undefined && !["", "0"].includes(resourceVersion);
  if (isExact && !sendInitialEvents) return;
  const why = isExact
    ? "sendInitialEvents is true, expected it left out: initial events have no order to resume from"
    : `resourceVersion is ${JSON.stringify(resourceVersion) ?? "nothing"}, expected that of a list`;
  throw new HomeostatError("ERR_ARGUMENT", `client.watch(${kind}, { resume: true }): ${why}`, {
    hint: "list first, and pass the resourceVersion of the list",
  });
}

/** Iterates over the events of one stream after another. */
export function resumedEvents<O>(
  kind: Kind,
  options: WatchOptions,
  context: ResumeContext,
): AsyncIterableIterator<WatchEvent<O>, void, void> {
  return readStream<WatchEvent<O>>((inbox) => new Resumed(kind, options, context, inbox).start());
}

class Resumed<O> implements OpenStream {
  readonly #kind: Kind;
  readonly #options: WatchOptions;
  readonly #context: ResumeContext;
  readonly #inbox: Inbox<WatchEvent<O>>;
  readonly #signal: AbortSignal;
  #resourceVersion: string;
  #stream: OpenStream | undefined;
  #wait: { cancel(): void } | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(
    kind: Kind,
    options: WatchOptions,
    context: ResumeContext,
    inbox: Inbox<WatchEvent<O>>,
  ) {
    this.#kind = kind;
    this.#options = options;
    this.#context = context;
    this.#inbox = inbox;
    this.#signal = AbortSignal.any([...context.signals]);
    this.#resourceVersion = options.resourceVersion ?? "";
  }

  start(): this {
    this.#signal.addEventListener("abort", this.#abort);
    this.#open();
    return this;
  }

  resume(): void {
    this.#stream?.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#signal.removeEventListener("abort", this.#abort);
    this.#wait?.cancel();
    this.#stream?.close();
  }

  /** A stream that is open reports it itself. */
  readonly #abort = (): void => {
    if (!this.#wait) return;
    this.#wait.cancel();
    this.#inbox.close(toError(this.#signal.reason));
  };

  #open(): void {
    this.#wait = undefined;
    const startedAt = this.#context.runtime.clock.monotonic();
    let isOver = false;
    const end = (error: Error | undefined): void => {
      if (isOver || this.#isClosed) return;
      isOver = true;
      this.#ended(error, this.#context.runtime.clock.monotonic() - startedAt);
    };
    const inbox = {
      push: (event: WatchEvent<O>) => this.#push(event),
      feed: (feed: () => void): boolean => {
        try {
          feed();
        } catch (error) {
          end(toError(error));
          this.#stream?.close();
        }
        return this.#inbox.feed(() => {});
      },
    };
    this.#stream = this.#context.open(
      { ...this.#options, resourceVersion: this.#resourceVersion, allowWatchBookmarks: true },
      {
        ...eventHandlers<O>(this.#kind, inbox, end),
        opened: () => void (this.#failures = 0),
      },
    );
  }

  #push(event: WatchEvent<O>): void {
    const { metadata } = event.object as KubeObject;
    this.#resourceVersion = metadata.resourceVersion;
    if (event.type !== "BOOKMARK" || this.#options.allowWatchBookmarks) this.#inbox.push(event);
  }

  #ended(error: Error | undefined, ranMs: number): void {
    if (error && isFinal(error)) return this.#inbox.close(error);
    const { pace, runtime } = this.#context;
    const failures = error ? ++this.#failures : 0;
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.max(0, failures - 1), maxPauseMs);
    const afterMs = error ? Math.max(pauseMs, askedPauseMs(error)) : firstPauseMs - ranMs;
    const hold = runtime.clock.hold?.();
    const waiter = pace.wait(
      Math.max(0, afterMs),
      () => {
        hold?.cancel();
        this.#open();
      },
      { failures, lane: "watch" },
    );
    this.#wait = {
      cancel() {
        waiter.cancel();
        hold?.cancel();
      },
    };
  }
}

/** Retry-After of a refusal. */
const askedPauseMs = (error: Error): number =>
  isApiStatusError(error) ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;

const passing = ["ERR_CLIENT_CONNECTION_LOST", "ERR_CLIENT_UNREACHABLE", "ERR_CLIENT_TIMEOUT"];

/** True unless the server or the connection may recover. */
function isFinal(error: Error): boolean {
  if (!isApiStatusError(error)) return !isHomeostatError(error) || !passing.includes(error.code);
  const { code } = error.status;
  return code < 500 && code !== 429;
}
