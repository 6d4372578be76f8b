// The same random requests to upstream's server and to ours: creates, updates, patches and applies
// of custom objects with two versions, status and scale, and of ConfigMaps. Answers must agree to
// the last word, ownership included. HOMEOSTAT_SEED and HOMEOSTAT_RUNS repeat or prolong a run.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type Answer,
  createSend,
  type KubectlProxy,
  openKubectlProxy,
  type Send,
} from "./kubectl-proxy.ts";
import { createRandom, pick, type Random, some } from "./random.ts";

const group = "writes.reference.homeostat.dev",
  namespace = "writes-reference";
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? "1"),
  runs = Number(process.env["HOMEOSTAT_RUNS"] ?? "20"),
  steps = 14;
const mediaTypes = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  body: "application/json",
} as const;

const specOf = (version: string): JsonObject => ({
  type: "object",
  properties: {
    replicas: { type: "integer" },
    a: { type: "string" },
    [`only-${version}`]: { type: "string" },
    d: { type: "string", ...(version === "v1" ? { default: "byDefault" } : {}) },
    n: { type: "string", nullable: true },
    map: { type: "object", additionalProperties: { type: "string" } },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    list: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, v: { type: "integer", default: 7 } },
      },
    },
  },
});
const statusSchema: JsonObject = {
  type: "object",
  properties: { replicas: { type: "integer" }, phase: { type: "string" } },
};
const versionOf = (name: string): JsonObject => ({
  name,
  served: true,
  storage: name === "v1",
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: specOf(name), data: { type: "string" }, status: statusSchema },
    },
  },
});
const definition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: ["v1", "v2"].map(versionOf),
  },
};

const maybe = (random: Random, oneIn: number, make: () => JsonObject): JsonObject =>
  random(oneIn) ? {} : make();
const mapOf = (random: Random, names: readonly string[]): JsonObject =>
  Object.fromEntries(some(random, names, 2).map((name) => [name, pick(random, ["1", "2"])]));

const randomSpec = (random: Random): JsonObject => ({
  ...maybe(random, 2, () => ({ replicas: random(3) })),
  ...maybe(random, 2, () => ({ a: pick<Json>(random, ["1", "2", 5]) })),
  ...maybe(random, 3, () => ({ [pick(random, ["only-v1", "only-v2"])]: "x" })),
  ...maybe(random, 3, () => ({ d: pick<Json>(random, ["y", null]) })),
  ...maybe(random, 4, () => ({ n: pick<Json>(random, ["z", null]) })),
  ...maybe(random, 2, () => ({ map: mapOf(random, ["k1", "k2"]) })),
  ...maybe(random, 2, () => ({ set: some(random, ["a", "b", "c"], 2) })),
  ...maybe(random, 2, () => ({
    list: some(random, ["x", "y"], 2).map((name) => ({
      name,
      ...maybe(random, 2, () => ({ v: random(3) })),
    })),
  })),
});
const randomMetadata = (random: Random, name: string): JsonObject => ({
  name,
  ...maybe(random, 3, () => ({ labels: mapOf(random, ["l", "m"]) })),
  ...maybe(random, 8, () => ({ finalizers: some(random, ["homeostat.dev/a"], 2) })),
  ...maybe(random, 10, () => ({
    managedFields: pick<Json>(random, [[], [{}], null, [{ manager: "z" }]]),
  })),
});

/** Where a step goes and what its body is about. */
interface Place {
  readonly kind: "Thing" | "ConfigMap";
  readonly version: string;
  readonly subresource: "" | "/status" | "/scale";
  readonly name: string;
}
const collectionOf = ({ kind, version }: Place): string =>
  kind === "Thing"
    ? `/apis/${group}/${version}/namespaces/${namespace}/things`
    : `/api/v1/namespaces/${namespace}/configmaps`;

function randomBody(random: Random, place: Place): JsonObject {
  const metadata = randomMetadata(random, place.name);
  if (place.kind === "ConfigMap")
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: Object.fromEntries(
        some(random, ["a", "b", "c"], 2).map((key) => [key, pick<Json>(random, ["1", "2", null])]),
      ),
    };
  if (place.subresource === "/scale")
    return { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: random(4) } };
  const status = maybe(random, 3, () => ({
    status: {
      ...maybe(random, 2, () => ({ phase: pick(random, ["p", "q"]) })),
      ...maybe(random, 2, () => ({ replicas: random(3) })),
    },
  }));
  return {
    apiVersion: `${group}/${place.version}`,
    kind: "Thing",
    metadata,
    spec: randomSpec(random),
    ...status,
    ...maybe(random, 6, () => ({ data: "d" })),
  };
}

const operations = (random: Random, { kind }: Place): Json[] =>
  kind === "Thing"
    ? some<Json>(
        random,
        [
          { op: "add", path: "/spec/a", value: pick(random, ["1", "2"]) },
          { op: "remove", path: "/spec/map" },
          { op: "replace", path: "/spec/replicas", value: random(3) },
          { op: "add", path: "/spec/set", value: ["b"] },
          { op: "test", path: "/spec/a", value: "1" },
        ],
        2,
      )
    : some<Json>(
        random,
        [
          { op: "add", path: "/data/a", value: pick(random, ["1", "2"]) },
          { op: "remove", path: "/data/b" },
          { op: "add", path: "/metadata/labels", value: { l: "1" } },
        ],
        2,
      );

/** One request; `lock` says whether a PUT carries the resourceVersion that its server gave last. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: Json;
  readonly lock: "locked" | "unlocked";
}

function firstRequest(random: Random, place: Place): Request {
  const main: Place = { ...place, subresource: "" };
  const by = `fieldManager=${pick(random, ["ann", "bob"])}`,
    body = randomBody(random, main);
  if (random(2))
    return {
      method: "PATCH",
      path: `${collectionOf(main)}/${place.name}?${by}`,
      contentType: mediaTypes.apply,
      body,
      lock: "unlocked",
    };
  return {
    method: "POST",
    path: `${collectionOf(main)}?${by}&fieldValidation=${pick(random, ["Warn", "Ignore"])}`,
    contentType: mediaTypes.body,
    body,
    lock: "unlocked",
  };
}

function nextRequest(random: Random, place: Place): Request {
  const path = `${collectionOf(place)}/${place.name}${place.subresource}`,
    by = `?fieldManager=${pick(random, ["ann", "bob"])}`;
  const body = randomBody(random, place);
  switch (pick(random, ["apply", "apply", "apply", "merge", "json", "put"] as const)) {
    case "apply":
      return {
        method: "PATCH",
        path: `${path}${by}&force=${random(2) === 0}`,
        contentType: mediaTypes.apply,
        body,
        lock: "unlocked",
      };
    case "merge": {
      const { apiVersion: _a, kind: _k, ...patch } = body;
      if (place.subresource !== "/scale" && isObject(patch["spec"]))
        for (const name of some(random, ["a", "map", "set", "list"], 5)) patch["spec"][name] = null;
      return {
        method: "PATCH",
        path: `${path}${pick(random, ["", by])}`,
        contentType: mediaTypes.merge,
        body: patch,
        lock: "unlocked",
      };
    }
    case "json":
      return {
        method: "PATCH",
        path: `${path}${by}`,
        contentType: mediaTypes.json,
        body: operations(random, place),
        lock: "unlocked",
      };
    case "put":
      return {
        method: "PUT",
        path: `${path}${by}`,
        contentType: mediaTypes.body,
        body,
        lock: random(4) ? "locked" : "unlocked",
      };
  }
}

/**
 * An answer without what differs by nature: fields that no schema declares are told one at a time,
 * and several faults in no order.
 */
function essence({ status, body, warning }: Answer): unknown {
  if (/^failed to create typed patch object .*field not declared/s.test(String(body["message"])))
    return "a field is not declared";
  const text = JSON.stringify({ status, body, warning }, (key, value: unknown) =>
    typeof value === "string" &&
    (key === "uid" || key === "resourceVersion" || key === "creationTimestamp" || key === "time")
      ? "*"
      : value,
  );
  const plain = JSON.parse(text) as { body: JsonObject };
  const { metadata, details } = plain.body;
  const sortBy = (list: Json[], keyOf: (item: JsonObject) => string): unknown =>
    list.sort((a, b) => (keyOf(a as JsonObject) < keyOf(b as JsonObject) ? -1 : 1));
  if (isObject(metadata) && Array.isArray(metadata["managedFields"]))
    sortBy(metadata["managedFields"], (entry) =>
      ["manager", "operation", "apiVersion", "subresource"].map((name) => entry[name]).join(" "),
    );
  if (/ is invalid: \[/.test(String(plain.body["message"])))
    plain.body["message"] = "several faults";
  if (isObject(details) && Array.isArray(details["causes"]))
    sortBy(details["causes"], (cause) => `${String(cause["field"])} ${String(cause["message"])}`);
  return plain;
}

interface Side {
  readonly send: Send;
  resourceVersion: string | undefined;
}

let proxy: KubectlProxy, server: ApiServer;

const onBoth = (
  method: string,
  path: string,
  contentType: string,
  body: Json,
): Promise<readonly Answer[]> =>
  Promise.all(
    [proxy.send, createSend(server.url, server.token)].map((send) =>
      send(method, path, contentType, body),
    ),
  );

before(async () => {
  const kubeconfig = process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"];
  if (!kubeconfig)
    throw new Error(
      "compare writes with upstream: HOMEOSTAT_REFERENCE_KUBECONFIG names no kubeconfig; use npm run test:reference",
    );
  proxy = await openKubectlProxy(kubeconfig);
  server = await startApiServer({ protocol: "http", controllers: "none" });
  await onBoth("POST", "/api/v1/namespaces", mediaTypes.body, { metadata: { name: namespace } });
  await onBoth(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    mediaTypes.body,
    definition,
  );
  // Upstream holds the first create back until two seconds after the definition is established.
  await sleep(2500);
});

after(async () => {
  await proxy.send(
    "DELETE",
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`,
    mediaTypes.body,
  );
  proxy.close();
  await server.close();
});

async function step(side: Side, request: Request): Promise<Answer> {
  const { method, path, contentType, body, lock } = request;
  const metadata =
    method === "PUT"
      ? {
          ...((body as JsonObject)["metadata"] as JsonObject),
          namespace,
          ...(lock === "locked" && side.resourceVersion
            ? { resourceVersion: side.resourceVersion }
            : {}),
        }
      : undefined;
  const answer = await side.send(
    method,
    path,
    contentType,
    metadata ? { ...(body as JsonObject), metadata } : body,
  );
  const given = isObject(answer.body["metadata"])
    ? answer.body["metadata"]["resourceVersion"]
    : undefined;
  if (answer.status < 300 && typeof given === "string") side.resourceVersion = given;
  return answer;
}

async function replay(run: number): Promise<void> {
  const random = createRandom(run),
    kind = pick(random, ["Thing", "Thing", "ConfigMap"] as const),
    name = `o${run}`;
  const sides: readonly Side[] = [
    { send: proxy.send, resourceVersion: undefined },
    { send: createSend(server.url, server.token), resourceVersion: undefined },
  ];
  for (let i = 0; i < steps; i++) {
    const place: Place = {
      kind,
      name,
      version: pick(random, ["v1", "v1", "v2"]),
      subresource:
        kind === "Thing" ? pick(random, ["", "", "", "", "/status", "/scale"] as const) : "",
    };
    const request = sides[0]!.resourceVersion
      ? nextRequest(random, place)
      : firstRequest(random, place);
    const [theirs, ours] = await Promise.all(sides.map((side) => step(side, request)));
    assert.deepEqual(
      essence(ours!),
      essence(theirs!),
      `run ${run}, step ${i}: ${request.method} ${request.path} ${JSON.stringify(request.body)}`,
    );
  }
  await onBoth(
    "PATCH",
    `${collectionOf({ kind, name, version: "v1", subresource: "" })}/${name}`,
    mediaTypes.merge,
    { metadata: { finalizers: null } },
  );
  await onBoth(
    "DELETE",
    `${collectionOf({ kind, name, version: "v1", subresource: "" })}/${name}`,
    mediaTypes.body,
    {},
  );
}

for (let run = seed; run < seed + runs; run++)
  test(`random writes, seed ${run}`, () => replay(run));
