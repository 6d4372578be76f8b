// One decision at a time, on a live server without collectors: what is asked and what is written,
// request by request.
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { isConflict, type Transport, type TransportRequest } from "homeostat/api";
import { type Client, createClient, type DynamicKind, dynamicKind } from "homeostat/client";
import type { ApiServer } from "../../api-server-options.ts";
import { startApiServer } from "../../start-api-server.ts";
import { ReferenceCache } from "./reference-cache.ts";
import { type AttemptResult, attemptToDelete } from "./attempt-to-delete.ts";
import { type GraphObject, OwnerGraph } from "./graph.machine.ts";
import { LiveObjects, UnknownKindError } from "./live-objects.ts";

const namespaced = (apiVersion: string, kind: string, resource: string): DynamicKind =>
  dynamicKind({ apiVersion, kind, resource, scope: "Namespaced" });
const clusterScoped = (apiVersion: string, kind: string, resource: string): DynamicKind =>
  dynamicKind({ apiVersion, kind, resource, scope: "Cluster" });

const ConfigMap = namespaced("v1", "ConfigMap", "configmaps");
const Thing = namespaced("collect.example.com/v1", "Thing", "things");
const ClusterRole = clusterScoped("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles");
const Definition = clusterScoped(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
);
const nobody = "0e000000-0000-4000-8000-00000000000a";

type Made = ApiObject;
type Reference = Readonly<Record<string, unknown>>;
const ownedBy = (
  { apiVersion, kind, metadata: { name, uid } }: Made,
  more: Reference = {},
): Reference => ({ apiVersion, kind, name, uid, ...more });

describe("collecting one object", { timeout: 30_000 }, () => {
  let server: ApiServer;
  let user: Client;
  let collector: Client;
  let live: LiveObjects;
  let graph: OwnerGraph;
  let absent: ReferenceCache;
  let absentOwner: Made;
  /**
   * What the collector sent, e.g. `DELETE configmaps/a {"propagationPolicy":"Background",…}`; the
   * server's own words are replaced.
   */
  let sent: string[];
  let names = new Map<string, string>();
  /** Runs before a request of the collector is sent. */
  let interfere: (request: TransportRequest) => Promise<void>;

  before(async () => {
    server = await startApiServer({ listen: false, controllers: "none" });
    user = createClient({ transport: server.transport() });
    collector = createClient({ transport: recording(server.transport()) });
    live = new LiveObjects(collector, {
      find: async (apiVersion, kind) =>
        (await user.kinds.all()).find((one) => one.apiVersion === apiVersion && one.kind === kind),
      deletable: () => user.kinds.all(),
      changed: () => ({ remove() {} }),
      stop() {},
    });
    const version = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
    };
    await user.create(Definition, {
      apiVersion: Definition.apiVersion,
      kind: Definition.kind,
      metadata: { name: "things.collect.example.com" },
      spec: {
        group: "collect.example.com",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [version],
      },
    } as never);
    while ((await user.list(Thing).catch(() => undefined)) === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    user.kinds.invalidate();
  });
  after(async () => {
    await Promise.all([user.close(), collector.close()]);
    await server.close();
  });
  beforeEach(async () => {
    for (const kind of [ConfigMap, Thing])
      for (const { metadata } of (await user.list(kind, { namespace: "default" })).items)
        await remove(kind, metadata.name);
    [graph, absent, sent, names] = [new OwnerGraph(), new ReferenceCache(), [], new Map()];
    interfere = async () => {};
    absentOwner = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "absent", uid: nobody, resourceVersion: "", creationTimestamp: "" },
    };
  });

  function recording(transport: Transport): Transport {
    return {
      ...transport,
      send(request, sink) {
        if (!request.path.startsWith("/apis/apiextensions") && !request.path.startsWith("/api?"))
          sent.push(describeRequest(request));
        let exchange: ReturnType<Transport["send"]> | undefined;
        void interfere(request).then(() => (exchange = transport.send(request, sink)));
        return { resume: () => exchange?.resume(), abort: (reason) => exchange?.abort(reason) };
      },
      close: () => transport.close(),
    };
  }
  function describeRequest({ method, path, headers, body }: TransportRequest): string {
    const where = path.replace(/\?.*/, "").replace(/^.*\/(configmaps|things|clusterroles)/, "$1");
    const type = /application\/(.*)-patch\+json/.exec(headers["content-type"] ?? "")?.[1];
    const text = body?.length
      ? Buffer.from(body)
          .toString()
          .replace(/"(kind|apiVersion)":"(DeleteOptions|v1)",?/g, "")
          .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"now"')
      : "";
    return [
      method,
      where,
      type,
      [...names].reduce((all, [uid, name]) => all.replaceAll(uid, name), text),
    ]
      .filter(Boolean)
      .join(" ");
  }
  async function make(
    kind: DynamicKind,
    name: string,
    ownerReferences: readonly Reference[] = [],
    finalizers: readonly string[] = [],
  ): Promise<Made> {
    const made = (await user.create(kind, {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name, ownerReferences, finalizers },
    } as never)) as Made;
    names.set(made.metadata.uid, name);
    return made;
  }
  async function remove(kind: DynamicKind, name: string): Promise<void> {
    await user.patch(kind, name, { type: "merge", body: { metadata: { finalizers: null } } });
    await user.delete(kind, name, { propagationPolicy: "Background" }).catch(() => undefined);
  }
  async function see(kind: DynamicKind, name: string): Promise<GraphObject> {
    const { apiVersion, kind: kindName, metadata } = (await user.get(kind, name)) as Made;
    const owners = (metadata.ownerReferences ?? []).map((reference) => ({
      ...reference,
      blocking: reference.blockOwnerDeletion === true,
    }));
    const object = {
      apiVersion,
      kind: kindName,
      name,
      namespace: metadata.namespace ?? "",
      uid: metadata.uid,
      owners,
      deleting: metadata.deletionTimestamp !== undefined,
      finalizers: metadata.finalizers ?? [],
    };
    graph.observe(object);
    return object;
  }
  async function collect(kind: DynamicKind, name: string): Promise<AttemptResult> {
    const { uid } = await see(kind, name);
    return attemptToDelete(graph.node(uid)!, { graph, live, absentOwners: absent });
  }
  const writes = (): readonly string[] => sent.filter((line) => !line.startsWith("GET"));

  test("keeps an object that has an owner", async () => {
    await make(ConfigMap, "a", [ownedBy(await make(ConfigMap, "owner"))]);
    assert.deepEqual(await collect(ConfigMap, "a"), {});
    assert.deepEqual(sent, ["GET configmaps/a", "GET configmaps/owner"]);
  });

  test("deletes an object without an owner, with its uid and revision as preconditions", async () => {
    await make(ConfigMap, "a", [ownedBy(absentOwner)]);
    assert.deepEqual(await collect(ConfigMap, "a"), {});
    assert.deepEqual(sent, [
      "GET configmaps/a",
      "GET configmaps/absent",
      'DELETE configmaps/a {"preconditions":{"uid":"a","resourceVersion":"now"},"propagationPolicy":"Background"}',
    ]);
  });

  test("keeps an owner that waits when the watch speaks of its dependent while the owner is read", async () => {
    const owner = await make(ConfigMap, "owner");
    await make(
      ConfigMap,
      "a",
      [ownedBy(owner, { blockOwnerDeletion: true })],
      ["test.example.com/hold"],
    );
    await user.delete(ConfigMap, "owner", { propagationPolicy: "Foreground" });
    const { uid } = await see(ConfigMap, "a");
    interfere = async ({ path }) => void (path.endsWith("/owner") && (await see(ConfigMap, "a")));
    assert.deepEqual(await collect(ConfigMap, "owner"), { retry: [uid] });
    assert.deepEqual(writes(), []);
  });

  test("reads an absent owner once", async () => {
    for (const name of ["a", "b"]) {
      await make(ConfigMap, name, [ownedBy(absentOwner)]);
      await collect(ConfigMap, name);
    }
    assert.equal(sent.filter((line) => line === "GET configmaps/absent").length, 1);
  });

  for (const [finalizer, policy] of [
    ["orphan", "Orphan"],
    ["foregroundDeletion", "Foreground"],
    ["test.example.com/other", "Background"],
  ] as const) {
    test(`deletes with ${policy} what carries the finalizer ${finalizer}`, async () => {
      await make(ConfigMap, "a", [ownedBy(absentOwner)], [finalizer]);
      await collect(ConfigMap, "a");
      assert.match(writes()[0]!, new RegExp(`"propagationPolicy":"${policy}"`));
    });
  }

  test("removes dangling references from an object with an owner, by uid", async () => {
    await make(ConfigMap, "a", [ownedBy(absentOwner), ownedBy(await make(ConfigMap, "owner"))]);
    assert.deepEqual(await collect(ConfigMap, "a"), {});
    assert.deepEqual(writes(), [
      `PATCH configmaps/a strategic-merge {"metadata":{"ownerReferences":[{"$patch":"delete","uid":"${nobody}"}],"uid":"a"}}`,
    ]);
  });

  test("patches the whole list where strategic patches are not understood", async () => {
    const owner = await make(ConfigMap, "owner");
    await make(Thing, "a", [ownedBy(absentOwner), ownedBy(owner)]);
    await collect(Thing, "a");
    assert.deepEqual(writes(), [
      `PATCH things/a strategic-merge {"metadata":{"ownerReferences":[{"$patch":"delete","uid":"${nobody}"}],"uid":"a"}}`,
      'PATCH things/a merge {"metadata":{"resourceVersion":"now","ownerReferences":[{"kind":"ConfigMap","name":"owner","uid":"owner"}]}}',
    ]);
    assert.deepEqual(
      ((await user.get(Thing, "a")) as Made).metadata.ownerReferences?.map(({ name }) => name),
      ["owner"],
    );
  });

  async function waitingOwner(): Promise<Made> {
    const owner = await make(ConfigMap, "owner");
    await user.delete(ConfigMap, "owner", { propagationPolicy: "Foreground" });
    return owner;
  }

  test("deletes a leaf of an owner that waits in the background", async () => {
    await make(ConfigMap, "a", [ownedBy(await waitingOwner(), { blockOwnerDeletion: true })]);
    await collect(ConfigMap, "a");
    assert.match(writes().join(), /^DELETE configmaps\/a .*"Background"}$/);
  });

  test("deletes an object with dependents in the foreground", async () => {
    const a = await make(ConfigMap, "a", [
      ownedBy(await waitingOwner(), { blockOwnerDeletion: true }),
    ]);
    await make(ConfigMap, "leaf", [ownedBy(a)]);
    await see(ConfigMap, "leaf");
    await collect(ConfigMap, "a");
    assert.match(writes().join(), /^DELETE configmaps\/a .*"Foreground"}$/);
  });

  test("does not block its owner while its own dependent waits: it may be a cycle", async () => {
    const a = await make(ConfigMap, "a", [
      ownedBy(await waitingOwner(), { blockOwnerDeletion: true }),
    ]);
    await make(ConfigMap, "circle", [ownedBy(a)], ["foregroundDeletion"]);
    await user.delete(ConfigMap, "circle");
    await see(ConfigMap, "circle");
    await collect(ConfigMap, "a");
    const [patch, deletion] = writes();
    assert.equal(
      patch,
      'PATCH configmaps/a strategic-merge {"metadata":{"ownerReferences":[{"uid":"owner","blockOwnerDeletion":false}],"uid":"a"}}',
    );
    assert.match(deletion!, /^DELETE configmaps\/a .*"Foreground"}$/);
  });

  test("deletes an owner that no dependent blocks", async () => {
    await waitingOwner();
    assert.deepEqual(await collect(ConfigMap, "owner"), {});
    assert.deepEqual(writes(), [
      'PATCH configmaps/owner merge {"metadata":{"resourceVersion":"now","finalizers":null}}',
    ]);
    assert.equal(await user.find(ConfigMap, "owner"), undefined);
  });

  test("names the dependents that block an owner", async () => {
    const owner = await make(ConfigMap, "owner");
    const blocker = await make(ConfigMap, "blocker", [
      ownedBy(owner, { blockOwnerDeletion: true }),
    ]);
    await make(ConfigMap, "harmless", [ownedBy(owner)]);
    for (const name of ["blocker", "harmless"]) await see(ConfigMap, name);
    await user.delete(ConfigMap, "owner", { propagationPolicy: "Foreground" });
    assert.deepEqual(await collect(ConfigMap, "owner"), { retry: [blocker.metadata.uid] });
    assert.deepEqual(writes(), []);
  });

  test("deletes at a later revision when the owners are the same", async () => {
    await make(ConfigMap, "a", [ownedBy(absentOwner)]);
    interfere = async ({ method }) => {
      if (method !== "DELETE") return;
      interfere = async () => {};
      await user.patch(ConfigMap, "a", { type: "merge", body: { data: { changed: "yes" } } });
    };
    assert.deepEqual(await collect(ConfigMap, "a"), {});
    assert.equal(
      writes().at(-1),
      'DELETE configmaps/a {"preconditions":{"uid":"a"},"propagationPolicy":"Background"}',
    );
    assert.equal(await user.find(ConfigMap, "a"), undefined);
  });

  test("decides again when the owners have changed", async () => {
    await make(ConfigMap, "a", [ownedBy(absentOwner)]);
    const owner = await make(ConfigMap, "owner");
    interfere = async ({ method }) =>
      void (
        method === "DELETE" &&
        (await user.patch(ConfigMap, "a", {
          type: "merge",
          body: { metadata: { ownerReferences: [ownedBy(owner)] } },
        }))
      );
    await assert.rejects(collect(ConfigMap, "a"), isConflict);
    assert.ok(await user.find(ConfigMap, "a"));
  });

  test("detects that an object is deleted or replaced", async () => {
    await make(ConfigMap, "a", [ownedBy(absentOwner)]);
    const { uid } = await see(ConfigMap, "a");
    await remove(ConfigMap, "a");
    assert.deepEqual(
      await attemptToDelete(graph.node(uid)!, { graph, live, absentOwners: absent }),
      {
        gone: true,
      },
    );
    await make(ConfigMap, "a", [ownedBy(absentOwner)]);
    assert.deepEqual(
      await attemptToDelete(graph.node(uid)!, { graph, live, absentOwners: absent }),
      {
        gone: true,
      },
    );
    assert.deepEqual(writes(), []);
  });

  test("keeps an object whose owner's kind is not served", async () => {
    await make(ConfigMap, "a", [
      ownedBy({ ...absentOwner, apiVersion: "missing.example.com/v1", kind: "Missing" }),
    ]);
    await assert.rejects(
      collect(ConfigMap, "a"),
      (error) =>
        error instanceof UnknownKindError &&
        error.message.includes("Missing of missing.example.com/v1"),
    );
    assert.deepEqual(writes(), []);
  });

  test("keeps cluster-wide objects that name a namespaced owner", async () => {
    const owner = await make(ConfigMap, "owner");
    await make(ClusterRole, "a", [ownedBy(owner), ownedBy(absentOwner)]);
    assert.deepEqual(await collect(ClusterRole, "a"), {});
    assert.deepEqual(sent, ["GET clusterroles/a"]);
  });

  test("leaves an object that is already being deleted", async () => {
    await make(ConfigMap, "a", [ownedBy(absentOwner)], ["test.example.com/hold"]);
    await user.delete(ConfigMap, "a");
    assert.deepEqual(await collect(ConfigMap, "a"), {});
    assert.deepEqual(sent, []);
  });
});
