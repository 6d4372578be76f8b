import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { deducedType } from "../apimachinery/types/smd-type.ts";
import { createTestServer, type TestServer } from "./testdata/test-server.ts";

const serve = createBuiltinResources({ data: readKindData("1.36"), smdOf: () => deducedType });
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const partial = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const apps = "/apis/apps/v1/namespaces/home";
const core = "/api/v1/namespaces/home";

const template = {
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const workload = (more: JsonObject = {}): JsonObject => ({
  metadata: { name: "w" },
  spec: { selector: { matchLabels: { a: "b" } }, template, ...more },
});

const bookmarkOf = async (
  server: TestServer,
  path: string,
  headers: Record<string, string> = {},
): Promise<JsonObject> => {
  const query = "watch=1&resourceVersion=0&allowWatchBookmarks=true&sendInitialEvents=true";
  const match = "resourceVersionMatch=NotOlderThan&timeoutSeconds=5";
  const watch = await server.watch(`${path}?${query}&${match}`, headers);
  watch.close();
  return watch.events.at(-1)!.object;
};

test("a bookmark is an object with nothing set, as Go writes it", async () => {
  const server = await createTestServer({ serve });
  const unset = { metadata: {}, spec: { containers: null } };
  const { metadata, ...deployment } = await bookmarkOf(server, `${apps}/deployments`);
  assert.deepEqual(deployment, {
    kind: "Deployment",
    apiVersion: "apps/v1",
    spec: { replicas: 0, selector: null, template: unset, strategy: {} },
    status: {},
  });
  assert.deepEqual((metadata as JsonObject).annotations, { "k8s.io/initial-events-end": "true" });
  const config = await bookmarkOf(server, `${core}/configmaps`);
  assert.deepEqual(Object.keys(config), ["kind", "apiVersion", "metadata"]);
});

test("the template generation of a DaemonSet is an annotation of the version, not of its metadata", async () => {
  const server = await createTestServer({ serve });
  const annotation = { "deprecated.daemonset.template.generation": "1" };
  const annotations = ({ metadata }: JsonObject): unknown => (metadata as JsonObject).annotations;
  const created = await server.ask("POST", `${apps}/daemonsets`, workload());
  assert.deepEqual(annotations(created.body), annotation);
  const status = await server.ask("PUT", `${apps}/daemonsets/w/status`, workload());
  assert.deepEqual(annotations(status.body), annotation);
  const shown = await server.ask("GET", `${apps}/daemonsets/w`, undefined, partial);
  assert.equal(annotations(shown.body), undefined);
  const rows = (await server.ask("GET", `${apps}/daemonsets`, undefined, table)).body.rows;
  assert.equal(annotations((rows as JsonObject[])[0]!.object as JsonObject), undefined);
  const bookmark = await bookmarkOf(server, `${apps}/daemonsets`);
  assert.deepEqual(annotations(bookmark), {
    "deprecated.daemonset.template.generation": "0",
    "k8s.io/initial-events-end": "true",
  });
});

test("Tables of scales have columns of their own, and some subresources have no Table", async () => {
  const server = await createTestServer({ serve });
  await server.ask("POST", `${apps}/replicasets`, workload({ replicas: 2 }));
  const scale = await server.ask("GET", `${apps}/replicasets/w/scale`, undefined, table);
  const { columnDefinitions, rows } = scale.body as { [name: string]: JsonObject[] };
  assert.deepEqual(
    columnDefinitions!.map(({ name, format }) => [name, format]),
    [
      ["Name", ""],
      ["Desired", ""],
      ["Available", ""],
      ["Age", ""],
    ],
  );
  assert.deepEqual((rows![0]!.cells as unknown[]).slice(0, 3), ["w", 2, 0]);
  const refused = ["pods/p/resize", "pods/p/ephemeralcontainers"].map((path) => `${core}/${path}`);
  refused.push(
    "/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval",
    "/apis/resource.k8s.io/v1/namespaces/home/resourceclaims/c/status",
  );
  for (const path of refused)
    assert.equal((await server.ask("GET", path, undefined, table)).status, 406, path);
  const missing = await server.ask("GET", `${core}/pods/p/status`, undefined, table);
  assert.equal(missing.status, 404);
});

test("the first update of a claim writes defaults, even if it changes nothing", async () => {
  const server = await createTestServer({ serve });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const path = `${core}/persistentvolumeclaims`;
  const versions: unknown[] = [];
  let { body } = await server.ask("POST", path, { metadata: { name: "c" }, spec });
  for (let i = 0; i < 3; i++) {
    versions.push((body.metadata as JsonObject).resourceVersion);
    ({ body } = await server.ask("PUT", `${path}/c`, body));
  }
  const [created, first, second] = versions;
  assert.notEqual(created, first);
  assert.equal(first, second);
});

test("events are read from etcd: lists of any revision are paged, and none waits for a revision ahead", async () => {
  const server = await createTestServer({ serve });
  for (const name of ["a", "b", "c"]) {
    const involvedObject = { namespace: "home", name };
    await server.ask("POST", `${core}/events`, { metadata: { name }, involvedObject });
    await server.ask("POST", `${core}/configmaps`, { metadata: { name } });
  }
  const names = async (path: string): Promise<number> =>
    ((await server.ask("GET", `${core}/${path}`)).body.items as unknown[]).length;
  assert.equal(await names("events?resourceVersion=0&limit=2"), 2);
  assert.equal(await names("configmaps?resourceVersion=0&limit=2"), 3);
  for (const path of ["events?resourceVersion=999", "events/a?resourceVersion=999"]) {
    const { status, body } = await server.ask("GET", `${core}/${path}`);
    assert.equal(status, 504, path);
    assert.equal((body.details as JsonObject).retryAfterSeconds, undefined);
  }
  assert.equal((await server.ask("GET", `${core}/events/a?resourceVersion=-1`)).status, 400);
  assert.equal((await server.ask("GET", `${core}/configmaps/a?resourceVersion=-1`)).status, 500);
});

test("the key in the refusal of a uid has etcd's prefix unless the write is a dry run", async () => {
  const server = await createTestServer({ serve });
  await server.ask("POST", `${core}/configmaps`, { metadata: { name: "c" } });
  const refusal = async (query: string): Promise<string> => {
    const body = { metadata: { name: "c", uid: "other" } };
    const answer = await server.ask("PUT", `${core}/configmaps/c${query}`, body);
    return /Key: ([^,]+),/.exec(String(answer.body.message))?.[1] ?? "";
  };
  assert.equal(await refusal(""), "/registry/configmaps/home/c");
  assert.equal(await refusal("?dryRun=All"), "/configmaps/home/c");
});

test("strategic merge patches wrap integers; merge patches name the first fault of the result", async () => {
  const server = await createTestServer({ serve });
  await server.ask("POST", `${apps}/deployments`, workload());
  const patch = async (type: string, body: JsonObject): Promise<string> => {
    const headers = { "content-type": `application/${type}-patch+json` };
    const answer = await server.ask("PATCH", `${apps}/deployments/w`, body, headers);
    return String(answer.body.message);
  };
  assert.match(
    await patch("strategic-merge", { spec: { minReadySeconds: 2 ** 31 } }),
    /spec\.minReadySeconds: Invalid value: -2147483648: must be greater than or equal to 0/,
  );
  assert.match(
    await patch("strategic-merge", { spec: { strategy: { rollingUpdate: { maxSurge: true } } } }),
    /: json: cannot unmarshal bool into Go value of type int32$/,
  );
  assert.match(
    await patch("merge", { spec: "x", metadata: { labels: { a: 1 } } }),
    /cannot unmarshal number into Go struct field ObjectMeta\.metadata\.labels of type string$/,
  );
  assert.match(
    await patch("merge", { spec: { template: "x", replicas: "y" } }),
    /cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32$/,
  );
});

test("metadata is validated as often as upstream does at each endpoint", async () => {
  const server = await createTestServer({ serve });
  const patch = { "content-type": "application/merge-patch+json" };
  const causes = async (path: string, metadata: JsonObject): Promise<number> => {
    const { body } = await server.ask("PATCH", path, { metadata }, patch);
    const details = body.details as { causes?: readonly unknown[] } | undefined;
    return details?.causes?.length ?? 0;
  };
  const labels = { a: "b-" };
  const finalizers = ["Bad"];
  const pod = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
  const networking = "/apis/networking.k8s.io/v1";
  const bodies: Readonly<Record<string, JsonObject>> = {
    [`${core}/resourcequotas`]: { spec: { hard: {} } },
    [`${core}/persistentvolumeclaims`]: {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    "/api/v1/persistentvolumes": {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/p" },
      },
    },
    "/api/v1/nodes": {},
    "/apis/batch/v1/namespaces/home/cronjobs": {
      spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: pod } } } },
    },
    [`${networking}/namespaces/home/ingresses`]: {
      spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
    },
    [`${networking}/ingressclasses`]: { spec: { controller: "a.b/c" } },
    "/apis/node.k8s.io/v1/runtimeclasses": { handler: "h" },
  };
  const made = await Promise.all(
    Object.entries(bodies).map(([path, body]) =>
      server.ask("POST", path, { metadata: { name: "m" }, ...body }),
    ),
  );
  assert.deepEqual([...new Set(made.map(({ status }) => status))], [201]);
  const [quota, claim, volume, node, cron, ingress, ingressClass, runtime] = Object.keys(
    bodies,
  ).map((path) => `${path}/m`) as [string, ...string[]];
  assert.equal(await causes(`${quota}/status`, { finalizers }), 1);
  assert.equal(await causes(`${claim}/status`, { finalizers }), 1);
  assert.equal(await causes(`${volume}/status`, { finalizers }), 1);
  assert.equal(await causes(`${volume}/status`, { labels }), 3);
  assert.equal(await causes(`${node}/status`, { finalizers }), 1);
  assert.equal(await causes(`${cron}/status`, { labels }), 2);
  assert.equal(await causes(ingress!, { finalizers }), 2);
  assert.equal(await causes(`${ingress}/status`, { finalizers }), 1);
  assert.equal(await causes(ingressClass!, { finalizers }), 2);
  assert.equal(await causes(runtime!, { finalizers }), 0);
});

test("warnings about strategic merge patches name no keys of maps", async () => {
  const server = await createTestServer({ serve });
  const path = "/apis/resource.k8s.io/v1/resourceslices";
  const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
  const spec = { driver: "d.x", pool, nodeName: "n", devices: [{ name: "d" }] };
  assert.equal((await server.ask("POST", path, { metadata: { name: "r" }, spec })).status, 201);
  const devices = [{ name: "d", attributes: { c: { bool: true, foo: 1 } } }];
  const warning = async (type: string): Promise<unknown> => {
    const headers = { "content-type": `application/${type}-patch+json` };
    return (await server.ask("PATCH", `${path}/r`, { spec: { devices } }, headers)).headers.warning;
  };
  const unknown = (field: string): string => `299 - "unknown field \\"${field}\\""`;
  assert.deepEqual([await warning("strategic-merge"), await warning("merge")].map(String), [
    unknown("spec.devices[0].attributes.foo"),
    unknown("spec.devices[0].attributes.c.foo"),
  ]);
});

test("the name of an APIService, and its prefix, are version and group", async () => {
  const server = await createTestServer({ serve });
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const spec = { group: "g.dev", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 };
  const name = "v1.g.dev";
  const refused = await server.ask("POST", path, { metadata: { name, generateName: "x-" }, spec });
  assert.match(String(refused.body.message), /metadata\.generateName: .*must be `spec\.version/);
  assert.equal((await server.ask("POST", path, { metadata: { name }, spec })).status, 201);
  const headers = { "content-type": "application/merge-patch+json" };
  const change = { metadata: { labels: { a: "b-" } } };
  const { body } = await server.ask("PATCH", `${path}/${name}`, change, headers);
  assert.equal((body.details as { causes: unknown[] }).causes.length, 4);
});
