// The introspection of a manager over HTTP: what it does now, as JSON. Read-only; its paths carry
// the version of what they answer. Names, reasons and times are told, contents of objects are not.
import type { PortAnswer, PortRequest } from "../serving/http-port.ts";
import type { ClusterInspection } from "./cluster-inspection.ts";
import { listInFlight, listObjects, reportObject, time } from "./report-objects.ts";
import {
  listControllers,
  listElections,
  listInformers,
  listQueues,
  listRings,
  listWebhooks,
} from "./report-parts.ts";

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
}

type Clusters = readonly ClusterInspection[];

/** Lists by the name of their path. */
const lists: Readonly<Record<string, (clusters: Clusters) => readonly object[]>> = {
  controllers: listControllers,
  queues: listQueues,
  inflight: listInFlight,
  informers: listInformers,
  elections: listElections,
  rings: listRings,
  webhooks: listWebhooks,
};

/** Answers a path below {@link introspectionPath}. */
export function answerIntrospection(
  { path, query }: Pick<PortRequest, "path" | "query">,
  sources: IntrospectionSources,
): PortAnswer {
  const parts = decoded(path.slice(introspectionPath.length + 1));
  if (!parts) return notFound(path);
  const [name = "", ...rest] = parts;
  if (name === "" && rest.length === 0) return json("Index", { paths: pathsOf() });
  if (name === "summary" && rest.length === 0) return json("Summary", summary(sources));
  if (name === "objects")
    return rest.length === 0
      ? json("ObjectList", { ...listOf(query, sources) })
      : answerObject(rest, sources);
  const list = Object.hasOwn(lists, name) && rest.length === 0 ? lists[name] : undefined;
  if (!list) return notFound(path);
  const kind = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return json(`${kind.replace(/s$/, "")}List`, { items: list(sources.inspect()) });
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
  ["summary", "objects", ...Object.keys(lists)].map((name) => `${introspectionPath}/${name}`);

function summary({ operator, now, startedAt, inspect, readiness }: IntrospectionSources): object {
  const clusters = inspect();
  return {
    operator,
    pid: process.pid,
    node: process.version,
    startedAt: time(startedAt),
    time: time(now()),
    ...readiness(),
    controllers: listControllers(clusters),
    elections: listElections(clusters),
  };
}

function listOf(query: URLSearchParams, { inspect }: IntrospectionSources): object {
  const { items, left } = listObjects(inspect(), {
    controller: query.get("controller") ?? undefined,
    states: query.getAll("state").flatMap((one) => one.split(",")),
    namespace: query.get("namespace") ?? undefined,
  });
  return { left, items };
}

/** `objects/{group}/{kind}/{namespace}/{name}`, or without a namespace. */
function answerObject(parts: readonly string[], { inspect }: IntrospectionSources): PortAnswer {
  const [group = "", kind = "", ...key] = parts;
  const named = { group, kind, key: key.join("/") };
  const isName = key.length === 1 || key.length === 2;
  const items = isName ? reportObject(inspect(), named) : [];
  return items.length > 0
    ? json("ObjectReport", { items })
    : notFound(`${kind}.${group} ${named.key}`);
}

const json = (kind: string, body: object): PortAnswer => ({
  status: 200,
  contentType: "application/json",
  body: `${JSON.stringify({ apiVersion, kind, ...body }, undefined, 2)}\n`,
});

function notFound(what: string): PortAnswer {
  const message = `no controller of this process knows ${what}`;
  return {
    status: 404,
    contentType: "application/json",
    body: `${JSON.stringify({ apiVersion, kind: "NotFound", message })}\n`,
  };
}
