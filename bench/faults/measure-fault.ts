// One fault, from a fresh controller to its convergence: objects change all the time while the
// fault lasts, on the server itself.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Client } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import type { FaultProxy, Oracle, ProxyEvent } from "./fault-proxy.ts";
import type { Scenario } from "./scenarios.ts";
import { Widget } from "./widgets.ts";

const program = fileURLToPath(new URL("controller.ts", import.meta.url));
const objects = 5;
const changeEveryMs = 400;
const patienceMs = 60_000;
const restMs = 3000;

/** What a fault cost; seconds unless said otherwise, undefined where it did not occur. */
export interface FaultFigures {
  readonly fault: string;
  /** From the end of the fault until every object is as declared; undefined: never. */
  readonly backS: number | undefined;
  /** From a stream that fell silent to the next attempt. */
  readonly blindS: number | undefined;
  /** From the start of the fault until the controller said that it was not ready. */
  readonly saidS: number | undefined;
  /** Full lists from the start of the fault on. */
  readonly lists: number;
  /** The share of broken watches that resumed where they were. */
  readonly resumed: number | undefined;
  /**
   * Most lists and watches of all kinds, and connections refused, in any second after the first of
   * the fault; renewals of sound watches and those that come back are among them.
   */
  readonly mostASecond: number;
  /** As `mostASecond`, of those that the fault met: refused, or answered with an error. */
  readonly mostFailing: number;
  /** The requests of that second, for people: ms since the fault began, and what was asked. */
  readonly busiest: readonly string[];
  /** Requests that came before the Retry-After that they were given. */
  readonly early: number;
}

interface Readiness {
  readonly at: number;
  readonly ready: boolean;
}

/** Measures one scenario with a client of the server itself. */
export async function measureFault(
  scenario: Scenario,
  client: Client,
  proxy: FaultProxy,
  oracle: Oracle,
): Promise<FaultFigures> {
  const wanted = await createObjects(client);
  const startedAt = Date.now();
  const controller = await startController([
    proxy.kubeconfig,
    client.namespace,
    String(scenario.furtherWatches ?? 0),
  ]);
  try {
    await converged(client, wanted, 0);
    const from = Date.now();
    if (scenario.rules.length) await proxy.inject(scenario.rules);
    await changeObjects(client, wanted, from + scenario.holdMs);
    await proxy.clear();
    const end = Date.now();
    const back = await converged(client, wanted, scenario.heldUp ?? 0);
    await sleep(restMs);
    const said = controller.changes.find(({ at, ready }) => at >= from && !ready);
    const log = oracle
      .readLog(proxy.log)
      .filter(({ t, ua }) => t >= startedAt && (ua === undefined || ua === "measured"));
    const during = log.filter(({ t }) => t >= from);
    const { could, fraction } = oracle.resumes(during);
    const blindMs = oracle.blind(during, Date.now()).maxMs;
    const attempts = log.filter(
      (e) => (oracle.isRead(e) || e.ev === "refused") && e.t > from + 1000 && e.t < end,
    );
    const busiest = busiestSecond(attempts);
    const failing = attempts.filter(({ ev, status }) => ev === "refused" || Number(status) >= 400);
    return {
      fault: scenario.name,
      backS: back && seconds(Math.max(0, back - end)),
      blindS: blindMs === null ? undefined : seconds(blindMs),
      saidS: said && seconds(said.at - from),
      lists: oracle.relists(during, from).total,
      resumed: could ? fraction! : undefined,
      mostASecond: busiest.length,
      mostFailing: busiestSecond(failing).length,
      busiest: busiest.map((event) => describe(event, from)),
      early: oracle.retryAfter(during).early,
    };
  } finally {
    controller.stop();
    await proxy.clear();
  }
}

async function startController(
  given: readonly string[],
): Promise<{ readonly changes: readonly Readiness[]; stop(): void }> {
  const child = fork(program, [...given], {
    execArgv: ["--conditions=homeostat-source"],
  });
  const changes: Readiness[] = [];
  child.on("message", (change) => changes.push(change as Readiness));
  await Promise.race([once(child, "message"), once(child, "exit")]);
  if (!changes.length) throw new Error("the measured controller ended before it was ready");
  return { changes, stop: () => void child.kill("SIGKILL") };
}

async function createObjects(client: Client): Promise<Map<string, number>> {
  const wanted = new Map<string, number>();
  for (let i = 0; i < objects; i++) {
    const name = `w${i}`;
    await client.apply(Widget, Widget(name, { value: 0 }), { force: true });
    wanted.set(name, 0);
  }
  return wanted;
}

async function changeObjects(
  client: Client,
  wanted: Map<string, number>,
  until: number,
): Promise<void> {
  for (let i = 1; Date.now() < until; i++) {
    const name = `w${i % objects}`;
    wanted.set(name, i);
    await client.patch(Widget, name, { type: "merge", body: { spec: { value: i } } });
    await sleep(changeEveryMs);
  }
}

/** The time at which all objects but `heldUp` were as declared; undefined if that did not come. */
async function converged(
  client: Client,
  wanted: ReadonlyMap<string, number>,
  heldUp: number,
): Promise<number | undefined> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(50)) {
    const { namespace } = client;
    const [widgets, maps] = await Promise.all([
      client.list(Widget, { namespace }),
      client.list(ConfigMap, { namespace }),
    ]);
    const seen = new Map(widgets.items.map((one) => [one.metadata.name, one.status.seen]));
    const held = new Map(maps.items.map((one) => [one.metadata.name, one.data?.["value"]]));
    const late = [...wanted].filter(
      ([name, value]) => seen.get(name) !== value || held.get(name) !== String(value),
    );
    if (late.length <= heldUp) return Date.now();
  }
  return undefined;
}

function busiestSecond(events: readonly ProxyEvent[]): readonly ProxyEvent[] {
  let best: readonly ProxyEvent[] = [];
  for (const [i, { t }] of events.entries()) {
    const within = events.slice(i).filter((event) => event.t < t + 1000);
    if (within.length > best.length) best = within;
  }
  return best;
}

function describe({ t, ev, verb, kind, status, fault, path }: ProxyEvent, from: number): string {
  const query = String(path ?? "").split("?")[1] ?? "";
  return [t - from, ev, verb, kind, status, fault, query].filter(Boolean).join(" ");
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
