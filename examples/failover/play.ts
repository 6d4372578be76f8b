// Plays the acts with the replicas of one operator and notes what happens: the process that works
// crashes, crashes again, and is replaced as in an update.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "homeostat/client";
import { Container, type Happening } from "./kubelet.ts";
import { Tick } from "./operator.ts";

/** What one operator runs as. */
export interface Troupe {
  readonly kubeconfig: string;
  /** In the namespace of its own. */
  readonly client: Client;
  /** The names of its replicas; several elect. */
  readonly names: readonly string[];
  readonly leaseSeconds: number;
}

/** One thing that happened in an act, in ms after its beginning. */
export interface Scene {
  readonly atMs: number;
  readonly what: string;
}

export interface Act {
  readonly title: string;
  readonly scenes: readonly Scene[];
  /** From the beginning to the first reconcile of another process. */
  readonly idleMs: number;
}

const acts = ["crash", "second crash", "update"] as const;
const changeEveryMs = 50;
/** Lines that are not part of the story. */
const dull = /^(?:starting|stopping|stopped|caches stopped|reconcile|started|process runs)/;

/** A process begins or ends. */
const isBound = (what: string): boolean => /^process (?:runs|has)/.test(what);

/** Plays all acts; objects change all the time. */
export async function play(troupe: Troupe): Promise<readonly Act[]> {
  const company = new Company(troupe);
  const changing = new AbortController();
  await troupe.client.create(Tick, Tick("tick", { count: 0 }));
  const changes = change(troupe.client, changing.signal);
  try {
    await company.ready();
    const played: Act[] = [];
    for (const title of acts) played.push(await company.perform(title));
    return played;
  } finally {
    changing.abort();
    await changes;
    await company.end();
  }
}

async function change(client: Client, signal: AbortSignal): Promise<void> {
  for (let count = 1; !signal.aborted; count++) {
    await client.patch(Tick, "tick", { type: "merge", body: { spec: { count } } });
    await sleep(changeEveryMs);
  }
}

class Company {
  readonly #containers: readonly Container[];
  readonly #happenings: (Happening & { readonly by: string })[] = [];

  constructor({ kubeconfig, client, names, leaseSeconds }: Troupe) {
    const lease = names.length > 1 ? [String(leaseSeconds)] : [];
    this.#containers = names.map((name) => {
      const args = (life: number) => [kubeconfig, client.namespace, `${name}${life}`, ...lease];
      return new Container(name, args, (one) => void this.#happenings.push({ ...one, by: name }));
    });
    for (const container of this.#containers) container.start();
  }

  /** One works, and the others stand by. */
  async ready(): Promise<void> {
    const isUp = ({ name }: Container): boolean => {
      const lines = this.#happenings.filter(({ by }) => by === name).map(({ what }) => what);
      const life = lines.slice(lines.findLastIndex((what) => isBound(what)));
      return life.some((what) => what === "reconcile" || what.startsWith("standing by"));
    };
    while (!this.#containers.every(isUp)) await sleep(20);
  }

  async perform(title: (typeof acts)[number]): Promise<Act> {
    const worker = this.#happenings.findLast(({ what }) => what === "reconcile")!.by;
    const container = this.#containers.find(({ name }) => name === worker)!;
    const from = this.#happenings.length;
    const began = Date.now();
    if (title === "update") container.replace();
    else container.crash();
    const next = await this.#successor(worker, from);
    await this.ready();
    const signal = title === "update" ? "SIGTERM" : "SIGKILL";
    const story = this.#happenings
      .slice(from)
      .filter((one) => !dull.test(one.what) || one === next)
      .map(({ at, by, what }) => ({
        atMs: at - began,
        what: `${by}: ${at === next.at && what === "reconcile" ? "first reconcile" : what}`,
      }));
    return {
      title,
      scenes: [{ atMs: 0, what: `${worker}: ${signal}` }, ...story],
      idleMs: next.at - began,
    };
  }

  /** The first reconcile of another process than the one that ends. */
  async #successor(worker: string, from: number): Promise<Happening> {
    for (;;) {
      const news = this.#happenings.slice(from);
      const restarted = news.findIndex(({ what }) => what === "process runs");
      const first = news.find(
        ({ by, what }, i) =>
          what === "reconcile" && (by !== worker || (restarted >= 0 && i > restarted)),
      );
      if (first) return first;
      await sleep(20);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#containers.map((container) => container.end()));
  }
}
