// The introspection of a manager over HTTP: what it does now, as JSON. Read-only; its paths carry
// the version of what they answer. Names, reasons and times are told, contents of objects are not.
import type { PortAnswer, PortRequest } from "../serving/http-port.ts";
import type { ClusterInspection } from "./cluster-inspection.ts";
import type { Blocks } from "../watchdog/watchdog.ts";
import type { Introspection } from "./introspection.ts";
import { time } from "./report-cause.ts";
import { reportGraph } from "./report-graph.ts";
import { attemptsOf, listHistory } from "./report-history.ts";
import { listInFlight, listObjects, reportObject, runnersOf } from "./report-objects.ts";
import {
  listControllers,
  listElections,
  listInformers,
  listQueues,
  listRings,
  listWebhooks,
} from "./report-parts.ts";
import { answerStream } from "./stream/answer-stream.ts";
import { seenOf, type Viewer } from "./viewer.ts";

/** Where it is served. */
export const introspectionPath = "/debug/homeostat/v1alpha1";

const apiVersion = "homeostat.dev/v1alpha1";

/** What is read when a path is asked for. */
export interface IntrospectionSources {
  readonly operator: string;
  /** Wall time in ms. */
  now(): number;
  /** Wall time in ms at which the manager was made. */
  readonly startedAt: number;
  inspect(): readonly ClusterInspection[];
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] };
  /** Undefined where nothing is recorded. */
  readonly recorded: Introspection | undefined;
  /** Undefined when nobody watches the event loop. */
  blocks(): Blocks | undefined;
}

type Asked = Pick<PortRequest, "query" | "viewer">;
type Body = object | Promise<object>;

/** Answers by the name of their path. */
const answers: Readonly<
  Record<string, readonly [kind: string, (sources: IntrospectionSources, asked: Asked) => Body]>
> = {
  summary: ["Summary", summary],
  objects: ["ObjectList", objects],
  history: ["History", history],
  graph: ["Graph", ({ inspect, recorded }) => reportGraph(inspect(), recorded?.history)],
  controllers: ["ControllerList", listing(listControllers)],
  queues: ["QueueList", listing(listQueues)],
  inflight: ["InflightList", ({ inspect }, { viewer }) => listInFlight(inspect(), viewer)],
  informers: ["InformerList", listing(listInformers)],
  elections: ["ElectionList", listing(listElections)],
  rings: ["RingList", listing(listRings)],
  webhooks: ["WebhookList", listing(listWebhooks)],
};

function listing(list: (clusters: readonly ClusterInspection[]) => readonly object[]) {
  return ({ inspect }: IntrospectionSources): object => ({ items: list(inspect()) });
}

/** Answers a path below {@link introspectionPath}. */
export async function answerIntrospection(
  { path, query, viewer }: Pick<PortRequest, "path" | "query" | "viewer">,
  sources: IntrospectionSources,
): Promise<PortAnswer> {
  const parts = decoded(path.slice(introspectionPath.length + 1));
  if (!parts) return notFound(path);
  const [name = "", ...rest] = parts;
  if (name === "" && rest.length === 0) return json("Index", { paths: pathsOf() });
  if (name === "stream" && rest.length === 0 && sources.recorded?.streams) {
    const { streams } = sources.recorded;
    return answerStream({ query, viewer, streams, inspect: sources.inspect, failure });
  }
  if (name === "objects" && rest.length > 0) return answerObject(rest, sources, viewer);
  const answer = Object.hasOwn(answers, name) && rest.length === 0 ? answers[name] : undefined;
  if (!answer) return notFound(path);
  const [kind, body] = answer;
  return json(kind, await body(sources, { query, viewer }));
}

/** Undefined for what is no encoding. */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const pathsOf = (): readonly string[] =>
  [...Object.keys(answers), "stream"].map((name) => `${introspectionPath}/${name}`);

function summary(sources: IntrospectionSources, { viewer }: Asked): object {
  const { operator, now, startedAt, inspect, readiness, blocks } = sources;
  const clusters = inspect();
  const blocked = blocks();
  return {
    operator,
    pid: process.pid,
    node: process.version,
    startedAt: time(startedAt),
    time: time(now()),
    ...readiness(),
    controllers: listControllers(clusters),
    elections: listElections(clusters),
    ...(blocked ? { blocked: reportBlocks(blocked, viewer === undefined) } : {}),
  };
}

/** Where it was blocked names objects, which not every reader may see. */
const reportBlocks = ({ times, longestMs, last }: Blocks, isForAll: boolean): BlockedReport => ({
  times,
  longestMs: Math.round(longestMs),
  last: last.map(({ at, ms, where }) => ({
    at: time(at),
    ms: Math.round(ms),
    ...(isForAll ? { where } : {}),
  })),
});

/** How often the event loop was blocked, in the answer of `/summary`. */
export interface BlockedReport {
  readonly times: number;
  readonly longestMs: number;
  /** The latest, the oldest first. */
  readonly last: readonly {
    readonly at: string | undefined;
    readonly ms: number;
    /** e.g. `in the reconcile of orders shop/a`; not told to readers with rights of their own. */
    readonly where?: string;
  }[];
}

function objects({ inspect }: IntrospectionSources, { query, viewer }: Asked): Body {
  return listObjects(inspect(), { ...selected(query), states: listed(query, "state") }, viewer);
}

function history({ recorded }: IntrospectionSources, { query, viewer }: Asked): Body {
  const results = listed(query, "result");
  const [name, fingerprint] = ["name", "fingerprint"].map((one) => query.get(one) ?? undefined);
  const asked = { ...selected(query), name, fingerprint, results };
  return recorded?.history ? listHistory(recorded.history, asked, viewer) : { items: [] };
}

const selected = (query: URLSearchParams) => ({
  controller: query.get("controller") ?? undefined,
  namespace: query.get("namespace") ?? undefined,
});

const listed = (query: URLSearchParams, name: string): readonly string[] =>
  query.getAll(name).flatMap((one) => one.split(","));

/** `objects/{group}/{kind}/{namespace}/{name}`, or without a namespace. */
async function answerObject(
  parts: readonly string[],
  { inspect, recorded }: IntrospectionSources,
  viewer: Viewer | undefined,
): Promise<PortAnswer> {
  const [group = "", kind = "", ...names] = parts;
  const key = names.join("/");
  const title = `${kind}.${group} ${key}`;
  const runners =
    names.length === 1 || names.length === 2 ? runnersOf(inspect(), { group, kind }) : [];
  const [first] = runners;
  if (!first) return notFound(title);
  const seen = seenOf(first.kind, names.length === 2 ? names[0] : undefined);
  if (viewer && !(await viewer.mayGet(seen, names.at(-1)))) {
    const grant = `the verb get on ${seen.resource}${seen.group ? `.${seen.group}` : ""}`;
    return failure(403, "Forbidden", `showing ${title} takes ${grant}`);
  }
  const items = reportObject(runners, { key });
  if (items.length === 0) return notFound(title);
  const { history: kept } = recorded ?? {};
  return json("ObjectReport", {
    items: items.map((one) => ({
      ...one,
      attempts: kept ? attemptsOf(kept, { ...(one as { readonly controller: string }), key }) : [],
    })),
  });
}

const json = (kind: string, body: object): PortAnswer => ({
  status: 200,
  contentType: "application/json",
  body: `${JSON.stringify({ apiVersion, kind, ...body }, undefined, 2)}\n`,
});

const notFound = (what: string): PortAnswer =>
  failure(404, "NotFound", `no controller of this process knows ${what}`);

const failure = (status: number, kind: string, message: string): PortAnswer => ({
  status,
  contentType: "application/json",
  body: `${JSON.stringify({ apiVersion, kind, message })}\n`,
});
