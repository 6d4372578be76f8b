// Services: Endpoints and EndpointSlices follow the pods, manual Endpoints are mirrored, and all
// are deleted with the service. Also runs on a real control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "homeostat/client";
import {
  Endpoints,
  Event,
  Node,
  Pod,
  Service,
  type ServiceManifest,
  type ServiceSpec,
} from "homeostat/k8s/core/v1";
import { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { until as untilWithin } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const controllers = ["default", "endpoint", "endpointslice", "endpointslicemirroring"];
const serviceOf = (name: string, spec: ServiceSpec): ServiceManifest =>
  Service({ name, labels: { of: name } }, { spec });
const selecting = {
  selector: { app: "web" },
  ports: [{ name: "http", port: 80, targetPort: "http" }],
};
const ofService = (client: Client, name: string): object => ({
  namespace: client.namespace,
  labelSelector: `kubernetes.io/service-name=${name}`,
});
const slices = async (client: Client, name: string): Promise<readonly EndpointSlice[]> =>
  (await client.list(EndpointSlice, ofService(client, name))).items;
const addresses = async (client: Client, name: string): Promise<readonly string[]> =>
  (await slices(client, name))
    .flatMap(({ endpoints }) => (endpoints ?? []).flatMap((one) => one.addresses))
    .toSorted();

async function runPod(
  client: Client,
  name: string,
  {
    ip,
    ready = "True",
    node,
  }: { readonly ip: string; readonly ready?: "True" | "False"; readonly node: string | undefined },
): Promise<void> {
  const spec = {
    ...(node ? { nodeName: node } : {}),
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "c", image: "c", ports: [{ name: "http", containerPort: 8080 }] }],
  };
  await client.create(Pod, Pod({ name, labels: { app: "web" } }, { spec }));
  const status = {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: ready, lastTransitionTime: "2024-01-01T00:00:00Z" }],
  };
  await client.patch(Pod, name, { type: "strategic", body: { status } }, { subresource: "status" });
}

for (const what of serverKinds()) {
  const real = what === "reference";
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 60_000, everyMs: 50 } : {});

  describe(`endpoints of services, ${what} server`, { concurrency: true, timeout: 120_000 }, () => {
    let server: TestServer;
    let administrator: Client;
    let node: string;
    before(async () => {
      server = await openServer(what, { controllers });
      administrator = await server.client();
      const created = await administrator.create(Node, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { generateName: "test-", labels: { "topology.kubernetes.io/zone": "z" } },
      });
      node = created.metadata.name;
    });
    after(async () => {
      await administrator.delete(Node, node);
      await server.close();
    });

    it("lists the pods of a service, ready or not, and forgets them", async () => {
      const client = await server.client();
      await client.create(Service, serviceOf("web", selecting));
      const empty = await until(async () => {
        const found = await slices(client, "web");
        return found.length === 1 && found[0];
      });
      assert.deepEqual(
        [empty.endpoints ?? [], empty.ports ?? [], empty.addressType],
        [[], [], "IPv4"],
      );
      await runPod(client, "a", { ip: "10.70.0.1", node });
      await runPod(client, "b", { ip: "10.70.0.2", ready: "False", node });
      await until(async () => (await addresses(client, "web")).length === 2);
      const slice = (await slices(client, "web"))[0]!;
      assert.equal(slice.metadata.name, empty.metadata.name);
      assert.deepEqual(slice.metadata.labels, {
        of: "web",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      });
      assert.deepEqual(slice.ports, [{ name: "http", port: 8080, protocol: "TCP" }]);
      const states = slice
        .endpoints!.map(({ conditions, zone, nodeName }) => [
          conditions?.ready,
          conditions?.serving,
          conditions?.terminating,
          zone,
          nodeName === node,
        ])
        .toSorted();
      assert.deepEqual(states, [
        [false, false, false, "z", true],
        [true, true, false, "z", true],
      ]);
      const { subsets, metadata } = await until(async () =>
        [await client.get(Endpoints, "web")].find(
          (one) => one.subsets?.[0]?.notReadyAddresses && one.subsets[0]!.addresses,
        ),
      );
      assert.deepEqual(
        [
          subsets?.[0]?.addresses?.[0]?.ip,
          subsets?.[0]?.notReadyAddresses?.[0]?.ip,
          subsets?.[0]?.ports,
        ],
        ["10.70.0.1", "10.70.0.2", [{ name: "http", port: 8080, protocol: "TCP" }]],
      );
      assert.equal(metadata.labels?.["endpoints.kubernetes.io/managed-by"], "endpoint-controller");
      await client.delete(Pod, "a");
      await until(async () => (await addresses(client, "web")).join() === "10.70.0.2");
    });

    it("restores deleted objects, and deletes them with the service", async () => {
      const client = await server.client();
      await client.create(
        Service,
        serviceOf("web", { ...selecting, publishNotReadyAddresses: true }),
      );
      await runPod(client, "a", { ip: "10.70.1.1", ready: "False", node });
      await until(async () => (await addresses(client, "web")).length === 1);
      const slice = (await slices(client, "web"))[0]!;
      assert.deepEqual(slice.endpoints![0]!.conditions, {
        ready: true,
        serving: false,
        terminating: false,
      });
      await client.delete(EndpointSlice, slice.metadata.name);
      await until(async () =>
        (await slices(client, "web")).some(({ metadata }) => metadata.uid !== slice.metadata.uid),
      );
      await client.delete(Service, "web");
      await until(
        async () =>
          (await slices(client, "web")).length === 0 &&
          (await client.find(Endpoints, "web")) === undefined,
      );
    });

    it("omits a pod on an unknown node and records an event", async () => {
      const client = await server.client();
      await client.create(Service, serviceOf("peers", { ...selecting, clusterIP: "None" }));
      await until(() => client.find(Endpoints, "peers"));
      await runPod(client, "lost", { ip: "10.70.2.1", node: undefined });
      const told = await until(
        async () =>
          (
            await client.list(Event, {
              namespace: client.namespace,
              fieldSelector: "involvedObject.name=peers,involvedObject.kind=Service",
            })
          ).items[0],
      );
      const why = `skipping Pod lost for Service ${client.namespace}/peers: Node  Not Found`;
      assert.deepEqual(
        [told.reason, told.message],
        [
          "FailedToUpdateEndpointSlices",
          `Error updating Endpoint Slices for Service ${client.namespace}/peers: ${why}`,
        ],
      );
      assert.deepEqual(await addresses(client, "peers"), []);
      // The Endpoints object cannot name a node that is not there either, and stays as it was.
      const { metadata, subsets } = await until(() => client.find(Endpoints, "peers"));
      assert.deepEqual(
        [subsets, metadata.labels?.["service.kubernetes.io/headless"]],
        [undefined, ""],
      );
    });

    it("mirrors manual endpoints until a label disables it", async () => {
      const client = await server.client();
      await client.create(Service, serviceOf("db", { ports: [{ port: 5432 }] }));
      const subsets = [
        { addresses: [{ ip: "10.9.0.1" }, { ip: "2001:db8::1" }], ports: [{ port: 5432 }] },
      ];
      await client.create(Endpoints, {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "db", labels: { by: "hand" } },
        subsets,
      });
      await until(async () => (await addresses(client, "db")).join() === "10.9.0.1,2001:db8::1");
      const mirrors = await slices(client, "db");
      assert.deepEqual(mirrors.map(({ addressType }) => addressType).toSorted(), ["IPv4", "IPv6"]);
      assert.deepEqual(mirrors[0]!.metadata.labels, {
        by: "hand",
        "kubernetes.io/service-name": "db",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      });
      await client.patch(Endpoints, "db", {
        type: "merge",
        body: { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } },
      });
      await until(async () => (await slices(client, "db")).length === 0);
    });
  });
}
