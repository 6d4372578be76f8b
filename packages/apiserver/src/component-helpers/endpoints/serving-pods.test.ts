// Addresses, ports and host names of pods, and which changes of a pod matter to its services.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service, ServicePort, Pod, Protocol } from "homeostat/k8s/core/v1";
import {
  addressesOf,
  findPort,
  firstFamily,
  hasAddress,
  hostnameFor,
  podChange,
} from "./serving-pods.ts";
import { TriggerTimes } from "./trigger-times.ts";

const podOf = (
  more: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u", ...more.metadata },
    spec: { containers: [], ...more.spec },
    status: { podIPs: [{ ip: "10.0.0.1" }], ...more.status },
  }) as unknown as Pod;
const serviceOf = (spec: object = {}): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "ns" },
    spec,
  }) as unknown as Service;
const ready = {
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:05Z" }],
};

test("addresses are taken by family, in their canonical form", () => {
  const pod = podOf({ status: { podIPs: [{ ip: "2001:DB8:0::1" }, { ip: "010.1.2.3" }] } });
  assert.deepEqual(
    [addressesOf(pod, "IPv4"), addressesOf(pod, "IPv6")],
    [["10.1.2.3"], ["2001:db8::1"]],
  );
  assert.deepEqual(
    [
      serviceOf({ ipFamilies: ["IPv6"] }),
      serviceOf({ clusterIP: "fd00::1" }),
      serviceOf({ clusterIP: "None" }),
    ].map((service) => firstFamily(service, podOf())),
    ["IPv6", "IPv6", "IPv4"],
  );
});

test("a pod that has finished or has no address is omitted", () => {
  assert.deepEqual(
    [podOf(), podOf({ status: { podIPs: [] } }), podOf({ status: { phase: "Failed" } })].map(
      hasAddress,
    ),
    [true, false, false],
  );
});

test("named ports are looked up in containers and sidecars, by protocol", () => {
  const ports = [{ name: "http", containerPort: 8080, protocol: "TCP" }];
  const port = (targetPort: string | number, protocol: Protocol = "TCP"): ServicePort => ({
    port: 80,
    targetPort,
    protocol,
  });
  const side = {
    restartPolicy: "Always",
    ports: [{ name: "side", containerPort: 1, protocol: "UDP" }],
  };
  const pod = podOf({
    spec: {
      containers: [{ ports }],
      initContainers: [{ ports: [{ name: "init", containerPort: 2 }] }, side],
    },
  });
  assert.deepEqual(
    [port(9), port("http"), port("http", "UDP"), port("side", "UDP"), port("init")].map((one) =>
      findPort(pod, one),
    ),
    [9, 8080, undefined, 1, undefined],
  );
});

test("a host name counts within the service's own domain", () => {
  const [peer, other] = ["web", "db"].map((subdomain) =>
    podOf({ spec: { hostname: "h", subdomain } }),
  );
  assert.deepEqual(
    [hostnameFor(peer!, serviceOf()), hostnameFor(other!, serviceOf())],
    ["h", undefined],
  );
});

test("only some changes of a pod matter, and labels alone only to services that gain or lose it", () => {
  const pod = podOf();
  assert.equal(
    podChange(pod, podOf({ metadata: { annotations: { a: "b" } }, status: { phase: "Failed" } })),
    undefined,
  );
  assert.deepEqual(podChange(pod, podOf({ metadata: { labels: { a: "b" } } })), {
    onlyMembership: true,
  });
  for (const changed of [
    podOf({ status: ready }),
    podOf({ status: { podIPs: [] } }),
    podOf({ metadata: { deletionTimestamp: "2024-01-01T00:00:00Z" } }),
  ])
    assert.deepEqual(podChange(pod, changed), { onlyMembership: false });
});

test("the trigger time is the service's at first, then that of the first change", () => {
  const times = new TriggerTimes();
  const service = {
    ...serviceOf(),
    metadata: { ...serviceOf().metadata, creationTimestamp: "2024-01-01T00:00:00Z" },
  };
  const later = podOf({
    metadata: { name: "q" },
    status: {
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2024-01-01T00:00:09Z" }],
    },
  });
  assert.equal(times.next("k", service, []), "2024-01-01T00:00:00Z");
  assert.equal(times.next("k", service, []), undefined);
  assert.equal(times.next("k", service, [later, podOf({ status: ready })]), "2024-01-01T00:00:05Z");
  assert.equal(times.next("k", service, [later, podOf({ status: ready })]), undefined);
  times.forget("k");
  assert.equal(times.next("k", service, [later]), "2024-01-01T00:00:00Z");
});
