// How endpoints are spread over slices: as few writes as possible, never more than a hundred in
// one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint, EndpointSlice } from "homeostat/k8s/discovery/v1";
import type { Service } from "homeostat/k8s/core/v1";
import { hint } from "./hints.ts";
import { type EndpointGroup, planSlices, recycle, type SlicePlan } from "./plan-slices.ts";
import { slicePrefix } from "../../component-helpers/endpoints/slice-writes.ts";
import { emptySlice, familiesOf } from "./slice-of-service.ts";

const service = (labels: object = {}, spec: object = {}): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "ns", uid: "s", labels },
    spec: { clusterIP: "10.0.0.1", ...spec },
  }) as unknown as Service;
const ports = [{ name: "http", port: 80, protocol: "TCP" as const }];
const endpoints = (from: number, to: number, more: object = {}): readonly Endpoint[] =>
  Array.from({ length: to - from }, (_, index) => ({
    addresses: [`10.0.0.${from + index}`],
    conditions: { ready: true },
    targetRef: { kind: "Pod", name: `p${from + index}` },
    ...more,
  }));
const group = (...lists: readonly (readonly Endpoint[])[]): readonly EndpointGroup[] => [
  { ports, endpoints: lists.flat() },
];
const slice = (name: string, has: readonly Endpoint[], more: object = {}): EndpointSlice => {
  const draft = emptySlice(service(), "IPv4", ports);
  return {
    ...draft,
    metadata: { ...draft.metadata, name },
    endpoints: has,
    ...more,
  } as EndpointSlice;
};
const shape = ({ create, update, delete: deletions }: SlicePlan): unknown => ({
  create: create.map(({ endpoints: has }) => has?.length ?? 0),
  update: Object.fromEntries(
    update.map(({ metadata, endpoints: has }) => [metadata.name, has?.length ?? 0]),
  ),
  delete: deletions.map(({ metadata }) => metadata.name),
});
const plan = (
  groups: readonly EndpointGroup[],
  existing: readonly EndpointSlice[] = [],
  of = service(),
): unknown => shape(planSlices(of, "IPv4", groups, existing));

test("a slice holds a hundred endpoints; a service without endpoints has one empty slice", () => {
  assert.deepEqual(plan(group(endpoints(0, 230))), {
    create: [100, 100, 30],
    update: {},
    delete: [],
  });
  assert.deepEqual(plan([]), { create: [0], update: {}, delete: [] });
  assert.deepEqual(plan([], [slice("empty", [], { ports: null })]), {
    create: [],
    update: {},
    delete: [],
  });
});

test("correct slices are left alone; changed slices are filled before others", () => {
  const [full, half] = [slice("full", endpoints(0, 100)), slice("half", endpoints(100, 150))];
  assert.deepEqual(plan(group(endpoints(0, 150)), [full, half]), {
    create: [],
    update: {},
    delete: [],
  });
  assert.deepEqual(plan(group(endpoints(1, 152)), [full, half]), {
    create: [],
    update: { full: 100, half: 51 },
    delete: [],
  });
  assert.deepEqual(plan(group(endpoints(0, 160)), [full, half]), {
    create: [],
    update: { half: 60 },
    delete: [],
  });
  assert.deepEqual(plan(group(endpoints(0, 210)), [full, half]), {
    create: [60],
    update: {},
    delete: [],
  });
  assert.deepEqual(plan(group(endpoints(0, 100)), [full, half]), {
    create: [],
    update: {},
    delete: ["half"],
  });
  assert.deepEqual(plan(group(endpoints(0, 100, { conditions: { ready: false } })), [full]), {
    create: [],
    update: { full: 100 },
    delete: [],
  });
  assert.deepEqual(plan(group(endpoints(0, 100)), [full], service({ l: "1" })), {
    create: [],
    update: { full: 100 },
    delete: [],
  });
});

test("slices of other ports and former services are deleted, or reused", () => {
  const old = slice("old", endpoints(0, 1), { ports: [{ name: "x", port: 1, protocol: "TCP" }] });
  const foreign = slice("foreign", endpoints(0, 1));
  const stranger = {
    ...foreign,
    metadata: {
      ...foreign.metadata,
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", uid: "before" }],
    },
  };
  const raw = planSlices(service(), "IPv4", group(endpoints(0, 1)), [old, stranger]);
  assert.deepEqual(shape(raw), { create: [1], update: {}, delete: ["foreign", "old"] });
  assert.deepEqual(shape(recycle(raw, service())), {
    create: [],
    update: { old: 1 },
    delete: ["foreign"],
  });
});

test("topology-aware services get hints, and lose them again", () => {
  const has = endpoints(0, 1, { zone: "z", nodeName: "n" });
  const hints = (
    trafficDistribution: string | undefined,
    existing: readonly EndpointSlice[],
    annotations = {},
  ): unknown => {
    const wanted = {
      ...service({}, { trafficDistribution }),
      metadata: { ...service().metadata, annotations },
    };
    return hint(wanted, { create: [], update: [], delete: [] }, existing).update.map(
      (one) => one.endpoints?.[0]?.hints ?? null,
    );
  };
  const zone = { forZones: [{ name: "z" }] };
  assert.deepEqual(hints("PreferClose", [slice("a", has)]), [zone]);
  assert.deepEqual(hints("PreferSameNode", [slice("a", has)]), [
    { ...zone, forNodes: [{ name: "n" }] },
  ]);
  assert.deepEqual(
    hints("PreferClose", [slice("a", endpoints(0, 1, { zone: "z", hints: zone }))]),
    [],
  );
  assert.deepEqual(hints(undefined, [slice("a", endpoints(0, 1, { hints: zone }))]), [null]);
  assert.deepEqual(
    hints("PreferClose", [slice("a", has)], { "service.kubernetes.io/topology-mode": "Auto" }),
    [],
  );
});

test("names and families follow the service", () => {
  assert.equal(slicePrefix("web"), "web-");
  assert.deepEqual(
    [
      familiesOf(service({}, { ipFamilies: ["IPv6"] })),
      familiesOf(service()),
      familiesOf(service({}, { clusterIP: "None" })),
    ],
    [["IPv6"], ["IPv4"], ["IPv4", "IPv6"]],
  );
});
