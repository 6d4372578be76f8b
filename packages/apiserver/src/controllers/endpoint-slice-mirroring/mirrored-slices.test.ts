// The slices that mirror an Endpoints object: per family and set of ports, written when something
// differs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import type { Endpoints } from "homeostat/k8s/core/v1";
import { planMirrors } from "./mirrored-slices.ts";

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

test("each family has a slice of its own, with what the object says and who keeps it", () => {
  const { create } = planMirrors(source(one), []);
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

test("nothing is written while all is the same, and what would go is used for what comes", () => {
  const mirrors = stored(planMirrors(source(one), []).create);
  const counts = (from: Endpoints): readonly number[] => {
    const plan = planMirrors(from, mirrors);
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

test("what is no address is left out, and what is more than a thousand", () => {
  const addresses = [
    "x",
    ...Array.from({ length: 1003 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
  ].map((ip) => ({ ip }));
  const plan = planMirrors(source([{ addresses, ports: [{ port: 1 }] }]), []);
  assert.deepEqual(
    [(plan.create[0] as EndpointSlice).endpoints?.length, plan.invalid, plan.skipped],
    [1000, 0, 4],
  );
  const few = planMirrors(source([{ addresses: addresses.slice(0, 3), ports: [{ port: 1 }] }]), []);
  assert.deepEqual(
    [(few.create[0] as EndpointSlice).endpoints?.length, few.invalid, few.skipped],
    [2, 1, 1],
  );
});
