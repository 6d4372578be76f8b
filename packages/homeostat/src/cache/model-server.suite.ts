// A server for tests of the cache: objects of one kind with a history, lists, watches with
// bookmarks and timeouts, as kube-apiserver has them; and faults on order. Virtual time, no
// sockets.
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "../client/scripted-transport.suite.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { createClient } from "../client/create-client.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createCache } from "./create-cache.ts";
import { bookmark, event, Meal, meal } from "./informer-play.suite.ts";

interface Change {
  readonly type: string;
  readonly revision: number;
  readonly object: object;
}

interface Backup {
  readonly objects: ReadonlyMap<string, { readonly uid: string; readonly revision: number }>;
  readonly revision: number;
}

interface OpenWatch {
  readonly exchange: ScriptedExchange;
  readonly isSilent: boolean;
  /** The revision up to which it has delivered. */
  after: number;
}

/** What happens to requests: nothing, an answer of that status, no answer, a silent stream. */
export type Misbehaviour = "none" | "hang" | "silent" | "cut" | number;

/** A server of meals. */
export class ModelServer {
  readonly transport: ScriptedTransport;
  readonly objects = new Map<string, { readonly uid: string; readonly revision: number }>();
  misbehaviour: Misbehaviour = "none";
  /** The label selectors of the requests that it hits; undefined: all. */
  victims: ReadonlySet<string | undefined> | undefined;
  revision = 1;
  #backup: Backup | undefined;
  #history: Change[] = [];
  #compacted = 0;
  #uids = 0;
  readonly #runtime: Runtime;
  readonly #watches = new Set<OpenWatch>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.transport = createScriptedTransport((exchange) => this.#answer(exchange));
  }

  /** Creates, changes or deletes an object. */
  write(name: string, wants: "object" | "nothing"): void {
    const held = this.objects.get(name);
    if (!held && wants === "nothing") return;
    this.revision++;
    const uid = held?.uid ?? `uid-${++this.#uids}`;
    const object = meal(name, String(this.revision), { uid });
    if (wants === "nothing") this.objects.delete(name);
    else this.objects.set(name, { uid, revision: this.revision });
    const existing = held ? "MODIFIED" : "ADDED";
    this.#history.push({
      type: wants === "nothing" ? "DELETED" : existing,
      revision: this.revision,
      object,
    });
    this.#deliver();
  }

  /** Breaks all streams, within a line when `rest` is given. */
  cut(rest = ""): void {
    for (const { exchange } of this.#watches) {
      if (rest) exchange.chunk(rest).end();
      else exchange.fail(lost());
    }
    this.#watches.clear();
  }

  /** All streams fall silent, or so many of them. Returns their label selectors. */
  silence(count = Infinity): ReadonlySet<string | undefined> {
    const open = [...this.#watches].filter(({ exchange }) => !exchange.aborted).slice(0, count);
    for (const watch of open) {
      this.#watches.delete(watch);
      this.#watches.add({ ...watch, isSilent: true });
    }
    return new Set(open.map(({ exchange }) => exchange.query["labelSelector"]));
  }

  /** Forgets its history: what is resumed from before is answered 410. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.revision;
  }

  /** Keeps what it holds now, for {@link restore}. */
  backUp(): void {
    this.#backup = { objects: new Map(this.objects), revision: this.revision };
  }

  /** Holds again what it held at the last {@link backUp}, and counts from there. */
  restore(): void {
    if (!this.#backup) return;
    this.cut();
    this.revision = this.#backup.revision;
    this.objects.clear();
    for (const [name, held] of this.#backup.objects) this.objects.set(name, held);
    this.compact();
  }

  #answer(exchange: ScriptedExchange): void {
    const isHit = this.victims?.has(exchange.query["labelSelector"]) ?? true;
    const how = isHit ? this.misbehaviour : "none";
    if (exchange.aborted || how === "hang") return;
    if (how === "cut") return exchange.fail(lost());
    if (typeof how === "number") return exchange.refuse(how, "Whatever");
    if (exchange.query["watch"]) this.#watch(exchange, how === "silent");
    else this.#list(exchange);
  }

  #list(exchange: ScriptedExchange): void {
    const items = Array.from(this.objects, ([name, held]) => toMeal(name, held));
    exchange.answer(200, { metadata: { resourceVersion: String(this.revision) }, items });
  }

  #watch(exchange: ScriptedExchange, isSilent: boolean): void {
    const { resourceVersion, sendInitialEvents, timeoutSeconds } = exchange.query;
    exchange.head();
    if (isSilent) return;
    const after = sendInitialEvents ? this.revision : Number(resourceVersion);
    // From a later revision than the server counts, a watch is silent until that is reached.
    if (after < this.#compacted)
      return exchange.lines(event("ERROR", { kind: "Status", code: 410 })).end();
    const watch = { exchange, isSilent, after };
    this.#watches.add(watch);
    if (sendInitialEvents) {
      for (const [name, held] of this.objects) exchange.lines(event("ADDED", toMeal(name, held)));
      exchange.lines(bookmark(String(this.revision), true));
    }
    this.#deliver();
    const endMs = Number(timeoutSeconds) * 1000;
    const { clock } = this.#runtime;
    clock.timer(endMs - 2000, () => {
      if (watch.after <= this.revision) this.#alive(watch)?.lines(bookmark(String(watch.after)));
    });
    clock.timer(endMs, () => {
      const alive = this.#alive(watch);
      this.#watches.delete(watch);
      alive?.end();
    });
  }

  #alive({ exchange }: OpenWatch): ScriptedExchange | undefined {
    const open = [...this.#watches].find((watch) => watch.exchange === exchange);
    return open && !open.isSilent ? exchange : undefined;
  }

  #deliver(): void {
    for (const watch of this.#watches) {
      if (watch.isSilent || watch.exchange.aborted) continue;
      for (const { type, revision, object } of this.#history) {
        if (revision <= watch.after) continue;
        watch.after = revision;
        watch.exchange.lines(event(type, object));
      }
    }
  }
}

/** A cache with that many informers of one kind on a model server, a minute after its start. */
export async function openModelCache(informers: number, seed: number) {
  const runtime = createVirtualRuntime({ seed });
  const server = new ModelServer(runtime);
  const client = createClient({ transport: server.transport, runtime });
  const cache = createCache({ client, runtime });
  for (let i = 0; i < informers; i++) cache.acquire(Meal, { labelSelector: `n=${i}` });
  cache.start();
  await runtime.advance(60_000);
  return { runtime, server, cache };
}

const lost = (): Error =>
  new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "ECONNRESET", { hint: "" });

function toMeal(
  name: string,
  { uid, revision }: { readonly uid: string; readonly revision: number },
): object {
  return meal(name, String(revision), { uid });
}
