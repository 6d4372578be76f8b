// The slices that mirror an Endpoints object: per family and set of ports, written when something
// differs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import type { Endpoints } from "homeostat/k8s/core/v1";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { createGoOrder } from "../../component-helpers/endpoints/go-order.ts";
import { planMirrors } from "./mirrored-slices.ts";

const order = createGoOrder(readKindData("1.36"));
const mirrorsOf = (
  from: Endpoints,
  existing: readonly EndpointSlice[],
): ReturnType<typeof planMirrors> => planMirrors(from, existing, order);

const source = (subsets: Endpoints["subsets"], metadata: object = {}): Endpoints =>
  ({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name: "db",
      namespace: "ns",
      uid: "e",
      labels: { l: "1" },
      annotations: { a: "b", "endpoints.kubernetes.io/last-change-trigger-time": "t" },
      ...metadata,
    },
    subsets,
  }) as unknown as Endpoints;
const one = [
  {
    addresses: [{ ip: "10.0.0.1", nodeName: "n" }],
    notReadyAddresses: [{ ip: "2001:db8::1" }],
    ports: [{ port: 80, protocol: "TCP" as const }],
  },
];
const stored = (drafts: readonly object[]): readonly EndpointSlice[] =>
  (drafts as readonly EndpointSlice[]).map((draft, index) => ({
    ...draft,
    metadata: { ...draft.metadata, name: `db-${index}` },
  }));

test("each address family has a slice with the labels, annotations and endpoints of the Endpoints object", () => {
  const { create } = mirrorsOf(source(one), []);
  const [four, six] = create as readonly any[];
  assert.deepEqual(four, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: "db-",
      namespace: "ns",
      labels: {
        l: "1",
        "kubernetes.io/service-name": "db",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
      annotations: { a: "b" },
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Endpoints",
          name: "db",
          uid: "e",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true }, nodeName: "n" }],
    ports: [{ name: "", port: 80, protocol: "TCP" }],
  });
  assert.deepEqual(
    [six.addressType, six.endpoints],
    ["IPv6", [{ addresses: ["2001:db8::1"], conditions: { ready: false } }]],
  );
});

test("current mirrors are not written, and mirrors to delete are reused for new ones", () => {
  const mirrors = stored(mirrorsOf(source(one), []).create);
  const counts = (from: Endpoints): readonly number[] => {
    const plan = mirrorsOf(from, mirrors);
    return [plan.create.length, plan.update.length, plan.delete.length];
  };
  assert.deepEqual(counts(source(one)), [0, 0, 0]);
  assert.deepEqual(counts(source(one, { labels: { l: "2" } })), [0, 2, 0]);
  assert.deepEqual(counts(source(one, { uid: "another" })), [0, 2, 0]);
  assert.deepEqual(
    counts(source([{ ...one[0]!, ports: [{ port: 81, protocol: "TCP" }] }])),
    [0, 2, 0],
  );
  assert.deepEqual(
    counts(
      source([
        { addresses: [{ ip: "10.0.0.1", nodeName: "n" }], ports: [{ port: 80, protocol: "TCP" }] },
      ]),
    ),
    [0, 0, 1],
  );
  assert.deepEqual(counts(source([])), [0, 0, 2]);
});

test("invalid addresses and those beyond a thousand are skipped", () => {
  const addresses = [
    "x",
    ...Array.from({ length: 1003 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
  ].map((ip) => ({ ip }));
  const plan = mirrorsOf(source([{ addresses, ports: [{ port: 1 }] }]), []);
  assert.deepEqual(
    [(plan.create[0] as EndpointSlice).endpoints?.length, plan.invalid, plan.skipped],
    [1000, 0, 4],
  );
  const few = mirrorsOf(source([{ addresses: addresses.slice(0, 3), ports: [{ port: 1 }] }]), []);
  assert.deepEqual(
    [(few.create[0] as EndpointSlice).endpoints?.length, few.invalid, few.skipped],
    [2, 1, 1],
  );
});
