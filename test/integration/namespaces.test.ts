// The deletion of namespaces: their content, blocking finalizers, the reported conditions, and the
// reuse of the name. Also runs on a real control plane.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Kind } from "homeostat";
import { type Client, dynamicKind } from "homeostat/client";
import { ConfigMap, Namespace, Pod, Secret, Service } from "homeostat/k8s/core/v1";
import { until as untilWithin } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const Definition = dynamicKind({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
});

interface NamespaceObject {
  readonly metadata: {
    readonly uid: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly managedFields: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly subresource?: string;
    }[];
  };
  readonly spec: { readonly finalizers?: readonly string[] };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly lastTransitionTime: string;
    }[];
  };
}

const hold = "test.example.com/hold";
const audit = "test.example.com/audit";
const fine = [
  [
    "NamespaceDeletionDiscoveryFailure",
    "False",
    "ResourcesDiscovered",
    "All resources successfully discovered",
  ],
  [
    "NamespaceDeletionGroupVersionParsingFailure",
    "False",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  [
    "NamespaceDeletionContentFailure",
    "False",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  ["NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"],
  [
    "NamespaceFinalizersRemaining",
    "False",
    "ContentHasNoFinalizers",
    "All content-preserving finalizers finished",
  ],
];

for (const what of serverKinds()) {
  const real = what === "reference";
  /** The real controller begins after five seconds and looks again after eight. */
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 90_000, everyMs: 50 } : {});

  describe(
    `the end of a namespace, ${what} server`,
    { concurrency: true, timeout: real ? 200_000 : 60_000 },
    () => {
      let server: TestServer;
      before(async () => void (server = await openServer(what, { controllers: "default" })));
      after(() => server.close());

      const find = async ({ client, name }: Place): Promise<NamespaceObject | undefined> =>
        (await client.find(Namespace, name)) as unknown as NamespaceObject | undefined;
      const gone = (place: Place): Promise<true> =>
        until(async () => (await find(place)) === undefined);
      const make = (
        client: Client,
        kind: Kind,
        ...[name, finalizers = [], more = {}]: [
          name: string,
          finalizers?: readonly string[],
          more?: object,
        ]
      ): Promise<unknown> =>
        client.create(kind, {
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          metadata: { name, finalizers },
          ...more,
        } as never);
      const release = (client: Client, kind: Kind, name: string): Promise<unknown> =>
        client.patch(kind, name, { type: "merge", body: { metadata: { finalizers: null } } });
      const conditions = (namespace: NamespaceObject | undefined): readonly (readonly string[])[] =>
        (namespace?.status.conditions ?? []).map(({ type, status, reason, message }) => [
          type,
          status,
          reason,
          message,
        ]);
      const judged = (place: Place): Promise<NamespaceObject> =>
        until(async () => {
          const namespace = await find(place);
          return namespace?.status.conditions?.length ? namespace : undefined;
        });

      interface Place {
        readonly client: Client;
        readonly name: string;
      }
      async function open(): Promise<Place> {
        const client = await server.client();
        return { client, name: client.namespace };
      }

      it("deletes everything in it, custom resources too", async () => {
        const place = await open();
        const { client, name } = place;
        const group = `ns-${randomBytes(4).toString("hex")}.example.com`;
        const version = {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        };
        const Thing = dynamicKind({
          apiVersion: `${group}/v1`,
          kind: "Thing",
          resource: "things",
          scope: "Namespaced",
        });
        await client.create(Definition, {
          apiVersion: Definition.apiVersion,
          kind: Definition.kind,
          metadata: { name: `things.${group}` },
          spec: {
            group,
            scope: "Namespaced",
            names: { plural: "things", kind: "Thing" },
            versions: [version],
          },
        } as never);
        await until(async () =>
          client.list(Thing).then(
            () => true,
            () => false,
          ),
        );
        if (real) await new Promise((resolve) => setTimeout(resolve, 1000));
        await make(client, Thing, "a");
        await make(client, Thing, "held", [hold]);
        await make(client, ConfigMap, "a");
        await make(client, Service, "a", [], { spec: { ports: [{ port: 1 }] } });
        await client.delete(Namespace, name);
        const namespace = await judged(place);
        assert.deepEqual(conditions(namespace), [
          ...fine.slice(0, 3),
          [
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            `Some resources are remaining: things.${group} has 1 resource instances`,
          ],
          [
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${hold} in 1 resource instances`,
          ],
        ]);
        assert.deepEqual(
          (await client.list(Thing, { namespace: name })).items.map(
            ({ metadata }) => metadata.name,
          ),
          ["held"],
        );
        await release(client, Thing, "held");
        await gone(place);
        for (const kind of [Thing, ConfigMap, Service])
          assert.equal((await client.list(kind, { namespace: name })).items.length, 0);
        await client.delete(Definition, `things.${group}`);
      });

      it("lists remaining content in five conditions, sorted and counted, and ends when it is released", async () => {
        const place = await open();
        const { client, name } = place;
        await make(client, Secret, "s1", [hold]);
        await make(client, Secret, "s2", [hold, audit]);
        await make(client, ConfigMap, "c1", [audit]);
        const answer = (await client.delete(Namespace, name)) as unknown;
        assert.ok(answer === undefined || typeof answer === "object");
        const namespace = await judged(place);
        assert.equal(namespace.status.phase, "Terminating");
        assert.deepEqual(namespace.spec.finalizers, ["kubernetes"]);
        assert.deepEqual(conditions(namespace), [
          ...fine.slice(0, 3),
          [
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            "Some resources are remaining: configmaps. has 1 resource instances, secrets. has 2 resource instances",
          ],
          [
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${audit} in 2 resource instances, ${hold} in 2 resource instances`,
          ],
        ]);
        assert.ok(
          namespace.metadata.managedFields.some(
            ({ manager, operation, subresource }) =>
              manager === "kube-controller-manager" &&
              operation === "Update" &&
              subresource === "status",
          ),
        );
        await release(client, ConfigMap, "c1");
        const later = await until(async () => {
          const now = await find(place);
          return conditions(now)[3]?.[3] ===
            "Some resources are remaining: secrets. has 2 resource instances"
            ? now
            : undefined;
        });
        assert.equal(
          later.status.conditions?.[3]?.lastTransitionTime,
          namespace.status.conditions?.[3]?.lastTransitionTime,
        );
        for (const one of ["s1", "s2"]) await release(client, Secret, one);
        await gone(place);
      });

      it("accepts no new objects while it terminates", async () => {
        const place = await open();
        const { client, name } = place;
        await make(client, Secret, "held", [hold]);
        await client.delete(Namespace, name);
        await judged(place);
        await assert.rejects(make(client, ConfigMap, "late"), (error: { status: object }) => {
          assert.deepEqual(error.status, {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Failure",
            message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
            reason: "Forbidden",
            details: {
              name: "late",
              kind: "configmaps",
              causes: [
                {
                  reason: "NamespaceTerminating",
                  message: `namespace ${name} is being terminated`,
                  field: "metadata.namespace",
                },
              ],
            },
            code: 403,
          });
          return true;
        });
        await client.patch(Secret, "held", {
          type: "merge",
          body: { metadata: { labels: { a: "b" } } },
        });
        await release(client, Secret, "held");
        await gone(place);
      });

      it("deletes pods first, and does not count them", async () => {
        const place = await open();
        const { client, name } = place;
        await make(client, Pod, "held", [hold], {
          spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "c" }] },
        });
        await make(client, ConfigMap, "waits");
        await client.delete(Namespace, name);
        const namespace = await judged(place);
        assert.deepEqual(conditions(namespace), fine);
        assert.ok(await client.find(ConfigMap, "waits"));
        await release(client, Pod, "held");
        await gone(place);
      });

      it("supports foreground deletion like any other object", async () => {
        const place = await open();
        const { client, name } = place;
        await make(client, ConfigMap, "a");
        await client.delete(Namespace, name, { propagationPolicy: "Foreground" });
        await gone(place);
      });

      it("waits for its own finalizers after its content is deleted", async () => {
        const place = await open();
        const { client, name } = place;
        await make(client, ConfigMap, "a");
        await client.patch(Namespace, name, {
          type: "merge",
          body: { metadata: { finalizers: [hold] } },
        });
        await client.delete(Namespace, name);
        const namespace = await until(async () => {
          const now = await find(place);
          return now && !now.spec.finalizers?.length ? now : undefined;
        });
        assert.deepEqual(conditions(namespace), fine);
        assert.equal(await client.find(ConfigMap, "a"), undefined);
        await client.patch(Namespace, name, {
          type: "merge",
          body: { metadata: { finalizers: null } },
        });
        await gone(place);
      });

      it("leaves finalizers of others in its spec", async () => {
        const place = await open();
        const { client, name } = place;
        const finalize = async (finalizers: readonly string[]): Promise<unknown> => {
          const current = (await client.get(Namespace, name)) as unknown as Record<string, object>;
          return client.request({
            method: "PUT",
            path: `/api/v1/namespaces/${name}/finalize`,
            body: {
              apiVersion: "v1",
              kind: "Namespace",
              ...current,
              spec: { finalizers },
            } as never,
          });
        };
        await finalize(["kubernetes", hold]);
        await client.delete(Namespace, name);
        const namespace = await until(async () => {
          const now = await find(place);
          return now && !now.spec.finalizers?.includes("kubernetes") ? now : undefined;
        });
        assert.deepEqual(namespace.spec.finalizers, [hold]);
        await finalize([]);
        await gone(place);
      });

      it("frees its name", async () => {
        const place = await open();
        const { client, name } = place;
        const before = await find(place);
        await make(client, ConfigMap, "a");
        await client.delete(Namespace, name);
        await gone(place);
        await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
        const again = await find(place);
        assert.notEqual(again?.metadata.uid, before?.metadata.uid);
        assert.equal(again?.status.phase, "Active");
        assert.equal(await client.find(ConfigMap, "a"), undefined);
        await make(client, ConfigMap, "a");
      });
    },
  );
}
