// The garbage collector: which dependents are deleted, in which order, what stays, and how invalid
// owner references are reported. Also runs on a real control plane.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Kind } from "homeostat";
import { type Client, type DynamicKind, dynamicKind } from "homeostat/client";
import { ConfigMap, Event, Secret } from "homeostat/k8s/core/v1";
import { ClusterRole } from "homeostat/k8s/rbac/v1";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";
import { until as untilWithin } from "../fixtures/until.ts";

const Definition = dynamicKind({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
});

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}
interface Made extends Owner {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly {
      readonly name: string;
      readonly uid: string;
      readonly blockOwnerDeletion?: boolean;
    }[];
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
  };
}
type Reference = Readonly<Record<string, unknown>>;

const ownedBy = (
  { apiVersion, kind, metadata: { name, uid } }: Owner,
  more: Reference = {},
): Reference => ({ apiVersion, kind, name, uid, ...more });
const blocking = { blockOwnerDeletion: true };
const nobody = "0e000000-0000-4000-8000-00000000000a";
const hold = "test.example.com/hold";

type MadeWith = [
  name: string,
  ownerReferences?: readonly Reference[],
  finalizers?: readonly string[],
];

async function make(
  client: Client,
  kind: Kind,
  ...[name, ownerReferences = [], finalizers = []]: MadeWith
): Promise<Made> {
  return (await client.create(kind, {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ownerReferences, finalizers },
  } as never)) as Made;
}
const find = async (client: Client, kind: Kind, name: string): Promise<Made | undefined> =>
  (await client.find(kind, name)) as Made | undefined;
const release = (client: Client, kind: Kind, name: string): Promise<unknown> =>
  client.patch(kind, name, { type: "merge", body: { metadata: { finalizers: null } } });
const owners = (object: Made | undefined): readonly string[] =>
  (object?.metadata.ownerReferences ?? []).map(({ name }) => name);

/** A definition of a kind `Thing` in a group of its own. */
function defineThings(scope: "Namespaced" | "Cluster" = "Namespaced"): {
  readonly Thing: DynamicKind;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly name: string;
} {
  const group = `gc-${randomBytes(4).toString("hex")}.example.com`;
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  };
  const definition = {
    apiVersion: Definition.apiVersion,
    kind: Definition.kind,
    metadata: { name: `things.${group}` },
    spec: { group, scope, names: { plural: "things", kind: "Thing" }, versions: [version] },
  };
  return {
    Thing: dynamicKind({ apiVersion: `${group}/v1`, kind: "Thing", resource: "things", scope }),
    definition,
    name: `things.${group}`,
  };
}

for (const what of serverKinds()) {
  const real = what === "reference";
  /** The real collector looks for new kinds every 30 s. */
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 120_000, everyMs: 50 } : {});

  describe(
    `garbage collection, ${what} server`,
    { concurrency: true, timeout: real ? 300_000 : 60_000 },
    () => {
      let server: TestServer;
      before(async () => void (server = await openServer(what, { controllers: "default" })));
      after(() => server.close());
      const gone = (client: Client, kind: Kind, name: string): Promise<true> =>
        until(async () => (await find(client, kind, name)) === undefined);
      /**
       * Time enough for a collector to have done what it must not do: it has seen, judged and taken
       * a later object.
       */
      async function letItWork(client: Client): Promise<void> {
        const name = `marker-${randomBytes(4).toString("hex")}`;
        for (const kind of [ConfigMap, Secret])
          await make(client, kind, name, [
            ownedBy({ apiVersion: "v1", kind: "Secret", metadata: { name: "no", uid: nobody } }),
          ]);
        for (const kind of [ConfigMap, Secret]) await gone(client, kind, name);
      }
      /**
       * The real collector can be late: what it has not seen when an owner orphans is lost. Ours
       * sees things in order.
       */
      const letItSee = async (client: Client): Promise<void> =>
        void (real && (await letItWork(client)));
      async function install(
        client: Client,
        definition: Readonly<Record<string, unknown>>,
        Thing: Kind,
      ): Promise<void> {
        await client.create(Definition, definition as never);
        await until(async () =>
          client.list(Thing).then(
            () => true,
            () => false,
          ),
        );
      }

      it("deletes dependents after their owner, and their dependents after them", async () => {
        const client = await server.client();
        const owner = await make(client, Secret, "owner");
        const child = await make(client, ConfigMap, "child", [ownedBy(owner)]);
        await make(client, Secret, "grandchild", [ownedBy(child)]);
        await make(client, Secret, "stranger");
        await client.delete(Secret, "owner", { propagationPolicy: "Background" });
        assert.equal(await find(client, Secret, "owner"), undefined);
        await gone(client, ConfigMap, "child");
        await gone(client, Secret, "grandchild");
        assert.ok(await find(client, Secret, "stranger"));
      });

      it("keeps an owner in foreground deletion until its blocking dependents are deleted", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        await make(client, Secret, "blocks", [ownedBy(owner, blocking)], [hold]);
        await make(client, Secret, "lets-go", [ownedBy(owner)], [hold]);
        // who does not block and is seen after the deletion stays until the owner has gone
        await letItWork(client);
        await client.delete(ConfigMap, "owner", { propagationPolicy: "Foreground" });
        for (const name of ["blocks", "lets-go"])
          await until(async () => (await find(client, Secret, name))?.metadata.deletionTimestamp);
        await letItWork(client);
        assert.deepEqual((await find(client, ConfigMap, "owner"))?.metadata.finalizers, [
          "foregroundDeletion",
        ]);
        await release(client, Secret, "blocks");
        await gone(client, ConfigMap, "owner");
        assert.ok(await find(client, Secret, "lets-go"));
        await release(client, Secret, "lets-go");
      });

      it("deletes an owner in the foreground once a dependent no longer blocks, or has another owner", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const other = await make(client, ConfigMap, "other");
        await make(client, Secret, "relents", [ownedBy(owner, blocking)], [hold]);
        await make(client, Secret, "moves", [ownedBy(owner, blocking)], [hold]);
        await client.delete(ConfigMap, "owner", { propagationPolicy: "Foreground" });
        await until(
          async () => (await find(client, Secret, "relents"))?.metadata.deletionTimestamp,
        );
        await client.patch(Secret, "relents", {
          type: "merge",
          body: { metadata: { ownerReferences: [ownedBy(owner)] } },
        });
        await client.patch(Secret, "moves", {
          type: "merge",
          body: { metadata: { ownerReferences: [ownedBy(other)] } },
        });
        await gone(client, ConfigMap, "owner");
        await release(client, Secret, "relents");
        await release(client, Secret, "moves");
      });

      it("deletes dependents that own something in the foreground as well, from the leaves up", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const child = await make(client, ConfigMap, "child", [ownedBy(owner, blocking)]);
        await make(client, ConfigMap, "grandchild", [ownedBy(child, blocking)], [hold]);
        await client.delete(ConfigMap, "owner", { propagationPolicy: "Foreground" });
        await until(
          async () => (await find(client, ConfigMap, "grandchild"))?.metadata.deletionTimestamp,
        );
        assert.deepEqual((await find(client, ConfigMap, "child"))?.metadata.finalizers, [
          "foregroundDeletion",
        ]);
        assert.deepEqual((await find(client, ConfigMap, "owner"))?.metadata.finalizers, [
          "foregroundDeletion",
        ]);
        await release(client, ConfigMap, "grandchild");
        await gone(client, ConfigMap, "owner");
        assert.equal(await find(client, ConfigMap, "child"), undefined);
      });

      it("releases dependents of an owner that orphans them", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const other = await make(client, ConfigMap, "other");
        await make(client, Secret, "free", [ownedBy(owner)]);
        await make(client, Secret, "half-free", [ownedBy(owner), ownedBy(other)]);
        await letItSee(client);
        await client.delete(ConfigMap, "owner", { propagationPolicy: "Orphan" });
        await gone(client, ConfigMap, "owner");
        assert.deepEqual(owners(await find(client, Secret, "free")), []);
        const halfFree = await find(client, Secret, "half-free");
        assert.deepEqual(owners(halfFree), ["other"]);
        assert.ok(
          !halfFree?.metadata.managedFields?.some(({ operation }) => operation === "Apply"),
        );
      });

      it("orphans dependents of any kind that were created just before", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const names = Array.from({ length: 20 }, (_, i) => `d${i}`);
        await Promise.all(
          names.map((name, i) => make(client, i % 2 ? Secret : ConfigMap, name, [ownedBy(owner)])),
        );
        await letItSee(client);
        await client.delete(ConfigMap, "owner", { propagationPolicy: "Orphan" });
        await gone(client, ConfigMap, "owner");
        await letItWork(client);
        for (const [i, name] of names.entries())
          assert.deepEqual(
            (await find(client, i % 2 ? Secret : ConfigMap, name))?.metadata.ownerReferences,
            undefined,
            name,
          );
      });

      it("honours an orphan finalizer that was set beforehand, on an owner and on a dependent that is collected", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const child = await make(client, ConfigMap, "child", [ownedBy(owner)], ["orphan"]);
        await make(client, Secret, "grandchild", [ownedBy(child)]);
        await letItSee(client);
        await client.delete(ConfigMap, "owner", { propagationPolicy: "Background" });
        await gone(client, ConfigMap, "child");
        assert.deepEqual(owners(await find(client, Secret, "grandchild")), []);
        const stubborn = await make(client, ConfigMap, "stubborn", [], ["orphan"]);
        await make(client, Secret, "kept", [ownedBy(stubborn)]);
        await letItSee(client);
        await client.delete(ConfigMap, "stubborn");
        await gone(client, ConfigMap, "stubborn");
        assert.deepEqual(owners(await find(client, Secret, "kept")), []);
      });

      it("deletes a cycle of owners in foreground deletion", async () => {
        const client = await server.client();
        const names = ["a", "b", "c"];
        const made = await Promise.all(names.map((name) => make(client, ConfigMap, name)));
        for (const [i, name] of names.entries())
          await client.patch(ConfigMap, name, {
            type: "merge",
            body: { metadata: { ownerReferences: [ownedBy(made[(i + 1) % 3]!, blocking)] } },
          });
        await letItWork(client);
        await client.delete(ConfigMap, "a", { propagationPolicy: "Foreground" });
        for (const name of names) await gone(client, ConfigMap, name);
      });

      it("deletes what only an owner with another uid is said to own, and takes dangling references off what has a real one", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const wrong = ownedBy({ ...owner, metadata: { name: "owner", uid: nobody } });
        await make(client, Secret, "stray", [wrong]);
        await make(client, Secret, "half-right", [wrong, ownedBy(owner)]);
        await gone(client, Secret, "stray");
        await until(
          async () =>
            (await find(client, Secret, "half-right"))?.metadata.ownerReferences?.length === 1,
        );
        assert.deepEqual(owners(await find(client, Secret, "half-right")), ["owner"]);
        assert.ok(await find(client, ConfigMap, "owner"));
      });

      it("takes an owner that is going in the foreground off a dependent that has another", async () => {
        const client = await server.client();
        const [going, staying] = [
          await make(client, ConfigMap, "going"),
          await make(client, ConfigMap, "staying"),
        ];
        await make(client, Secret, "shared", [
          ownedBy(going, blocking),
          ownedBy(staying, blocking),
        ]);
        await client.delete(ConfigMap, "going", { propagationPolicy: "Foreground" });
        await gone(client, ConfigMap, "going");
        assert.deepEqual(owners(await find(client, Secret, "shared")), ["staying"]);
      });

      it("keeps dependents whose owner's kind is not served, until it is", async () => {
        const client = await server.client();
        const { Thing, definition } = defineThings();
        await make(client, ConfigMap, "waits", [
          ownedBy({
            apiVersion: Thing.apiVersion,
            kind: Thing.kind,
            metadata: { name: "no", uid: nobody },
          }),
        ]);
        await letItWork(client);
        assert.ok(await find(client, ConfigMap, "waits"));
        await install(client, definition, Thing);
        await gone(client, ConfigMap, "waits");
      });

      it("treats an owner in another namespace as absent, and says so in an event", async () => {
        const [client, elsewhere] = [await server.client(), await server.client()];
        const owner = await make(elsewhere, ConfigMap, "owner");
        await letItWork(client);
        const stray = await make(client, Secret, "stray", [ownedBy(owner)]);
        await gone(client, Secret, "stray");
        await assertReported(client, stray, owner);
      });

      it("keeps cluster-wide objects with namespaced owners for ever, and says so in an event", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        await letItWork(client);
        const role = await make(client, ClusterRole, client.namespace, [ownedBy(owner)]);
        try {
          await assertReported(client, role, owner);
          await client.delete(ConfigMap, "owner");
          await letItWork(client);
          assert.deepEqual(owners(await find(client, ClusterRole, role.metadata.name)), ["owner"]);
        } finally {
          await client.delete(ClusterRole, role.metadata.name);
        }
      });

      async function assertReported(client: Client, dependent: Made, owner: Made): Promise<void> {
        const namespace = dependent.metadata.namespace;
        const events = async (): Promise<readonly any[]> =>
          (
            await client.list(Event, {
              namespace: namespace ?? "default",
              fieldSelector: `involvedObject.uid=${dependent.metadata.uid}`,
            })
          ).items;
        const event = await until(async () => (await events())[0]);
        const { metadata, firstTimestamp, lastTimestamp, ...rest } = event;
        assert.match(metadata.name, new RegExp(`^${dependent.metadata.name}\\.[0-9a-f]{16}$`));
        assert.equal(metadata.managedFields[0].manager, "kube-controller-manager");
        assert.equal(firstTimestamp, lastTimestamp);
        assert.deepEqual(rest, {
          apiVersion: "v1",
          kind: "Event",
          involvedObject: {
            apiVersion: dependent.apiVersion,
            kind: dependent.kind,
            name: dependent.metadata.name,
            uid: dependent.metadata.uid,
            ...(namespace ? { namespace } : {}),
          },
          type: "Warning",
          reason: "OwnerRefInvalidNamespace",
          message: `ownerRef [v1/ConfigMap, namespace: ${namespace ?? ""}, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "${namespace ?? ""}"`,
          source: { component: "garbage-collector-controller" },
          reportingComponent: "garbage-collector-controller",
          reportingInstance: "",
          count: 1,
          eventTime: null,
        });
      }

      it("follows cluster-wide owners into every namespace", async () => {
        const client = await server.client();
        const owner = await make(client, ClusterRole, client.namespace);
        await make(client, ConfigMap, "child", [ownedBy(owner)]);
        await letItWork(client);
        assert.ok(await find(client, ConfigMap, "child"));
        await client.delete(ClusterRole, owner.metadata.name);
        await gone(client, ConfigMap, "child");
      });

      it("collects custom resources of kinds that came later, and what they own, also when their definition goes", async () => {
        const client = await server.client();
        const { Thing, definition, name } = defineThings();
        await install(client, definition, Thing);
        const [first, second] = [
          await make(client, Thing, "first"),
          await make(client, Thing, "second"),
        ];
        await make(client, ConfigMap, "of-first", [ownedBy(first)]);
        await make(client, ConfigMap, "of-second", [ownedBy(second)]);
        await make(client, Thing, "shared", [ownedBy(first), ownedBy(second)]);
        await make(client, Thing, "lost", [
          ownedBy({ ...first, metadata: { name: "first", uid: nobody } }),
        ]);
        await gone(client, Thing, "lost");
        await client.delete(Thing, "first");
        await gone(client, ConfigMap, "of-first");
        await until(async () => owners(await find(client, Thing, "shared")).length === 1);
        await client.delete(Definition, name);
        await gone(client, ConfigMap, "of-second");
      });

      it(
        "is not starved by a client that keeps writing to a dependent",
        { skip: real && "asserts nothing about the speed of another server" },
        async () => {
          const client = await server.client();
          const owner = await make(client, ConfigMap, "owner");
          await make(client, ConfigMap, "busy", [ownedBy(owner)]);
          let writing = true;
          const writer = (async () => {
            for (let i = 0; writing; i++)
              await client
                .patch(ConfigMap, "busy", { type: "merge", body: { data: { i: String(i) } } })
                .catch(() => (writing = false));
          })();
          await client.delete(ConfigMap, "owner");
          await gone(client, ConfigMap, "busy");
          writing = false;
          await writer;
        },
      );

      it("collects many dependents in seconds", async () => {
        const client = await server.client();
        const owner = await make(client, ConfigMap, "owner");
        const names = Array.from({ length: real ? 200 : 1000 }, (_, i) => `d${i}`);
        for (let i = 0; i < names.length; i += 50)
          await Promise.all(
            names.slice(i, i + 50).map((name) => make(client, Secret, name, [ownedBy(owner)])),
          );
        await client.delete(ConfigMap, "owner");
        await until(
          async () =>
            (await client.list(Secret, { namespace: client.namespace })).items.length === 0,
        );
      });
    },
  );
}
