// The Endpoints object of a service: who is in it, when it is written, and what is cut off.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoints, Service, Pod } from "homeostat/k8s/core/v1";
import { type EndpointsInput, nextEndpoints, subsetsOf } from "./endpoints-of-service.ts";
import { truncateSubsets } from "./truncate-subsets.ts";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { createGoOrder } from "../../component-helpers/endpoints/go-order.ts";

const order = createGoOrder(readKindData("1.36"));

const service = (spec: object = {}, labels?: object): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "ns", labels },
    spec: {
      clusterIP: "10.0.0.1",
      ipFamilies: ["IPv4"],
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }],
      ...spec,
    },
  }) as unknown as Service;
const pod = (name: string, ip: string, status: "True" | "False", metadata: object = {}): Pod =>
  ({
    metadata: { name, namespace: "ns", uid: name, ...metadata },
    spec: {
      nodeName: "n",
      containers: [{ name: "c", ports: [{ name: "http", containerPort: 8080 }] }],
    },
    status: { podIPs: [{ ip }], conditions: [{ type: "Ready", status }] },
  }) as unknown as Pod;
const address = (name: string, ip: string): object => ({
  ip,
  nodeName: "n",
  targetRef: { kind: "Pod", namespace: "ns", name, uid: name },
});

test("pods are ready or not, and terminating pods are left out", () => {
  const pods = [
    pod("b", "10.1.0.2", "False"),
    pod("a", "10.1.0.1", "True"),
    pod("c", "10.1.0.3", "True", { deletionTimestamp: "2024-01-01T00:00:00Z" }),
  ];
  const ports = [{ name: "http", port: 8080, protocol: "TCP" }];
  assert.deepEqual(subsetsOf(service(), pods, order), [
    { addresses: [address("a", "10.1.0.1")], notReadyAddresses: [address("b", "10.1.0.2")], ports },
  ]);
  assert.deepEqual(subsetsOf(service({ publishNotReadyAddresses: true }), pods, order), [
    { addresses: [address("a", "10.1.0.1"), address("b", "10.1.0.2")], ports },
  ]);
  assert.deepEqual(subsetsOf(service({ ports: [], clusterIP: "None" }), pods.slice(1), order), [
    { addresses: [address("a", "10.1.0.1")] },
  ]);
  assert.deepEqual(subsetsOf(service({ ports: [] }), pods, order), []);
});

test("it has the service's labels and the controller's, and is not written when it is current", () => {
  const subsets = subsetsOf(service(), [pod("a", "10.1.0.1", "True")], order);
  const next = (of: Service, input: Partial<EndpointsInput>): Endpoints | undefined =>
    nextEndpoints(of, { subsets, found: undefined, triggerTime: undefined, order, ...input }) as
      | Endpoints
      | undefined;
  const first = next(service({}, { l: "1" }), { triggerTime: "2024-01-01T00:00:00Z" })!;
  assert.deepEqual(first.metadata, {
    namespace: "ns",
    name: "web",
    labels: { l: "1", "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
    annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2024-01-01T00:00:00Z" },
  });
  assert.equal(next(service({}, { l: "1" }), { found: first }), undefined);
  const headless = next(service({ clusterIP: "None" }), { subsets: [], found: first })!;
  assert.deepEqual(
    [headless.metadata.labels, headless.metadata.annotations, headless.subsets],
    [
      {
        "service.kubernetes.io/headless": "",
        "endpoints.kubernetes.io/managed-by": "endpoint-controller",
      },
      {},
      [],
    ],
  );
});

test("more than a thousand addresses are cut off, those that are not ready first", () => {
  const many = (count: number): readonly { readonly ip: string }[] =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  const sizes = (subsets: Parameters<typeof truncateSubsets>[0]): unknown => {
    const { list, truncated } = truncateSubsets(subsets);
    return [
      truncated,
      ...list.map(({ addresses = [], notReadyAddresses = [] }) => [
        addresses.length,
        notReadyAddresses.length,
      ]),
    ];
  };
  assert.deepEqual(sizes([{ addresses: many(900), notReadyAddresses: many(100) }]), [
    false,
    [900, 100],
  ]);
  assert.deepEqual(
    sizes([
      { addresses: many(600), notReadyAddresses: many(300) },
      { addresses: many(300), notReadyAddresses: many(100) },
    ]),
    [true, [600, 75], [300, 25]],
  );
  assert.deepEqual(
    sizes([{ addresses: many(1000), notReadyAddresses: many(5) }, { addresses: many(501) }]),
    [true, [667, 0], [333, 0]],
  );
});
