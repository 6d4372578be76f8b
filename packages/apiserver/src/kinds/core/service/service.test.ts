import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { openKind } from "../../open-kind.suite.ts";
import { createServicePool } from "./service-pool.ts";

const metadata = { name: "s", namespace: "n" };
const service = (spec: object): object => ({ metadata, spec });
const specOf = (object: JsonObject): Record<string, unknown> =>
  object["spec"] as Record<string, unknown>;

test("a plain service gets an address, a family and its ports' targets", () => {
  const { object, errors } = openKind("", "services").create(service({ ports: [{ port: 80 }] }));
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ports, internalTrafficPolicy } =
    specOf(object);
  assert.deepEqual(
    [errors, clusterIPs, ipFamilies, ipFamilyPolicy, internalTrafficPolicy],
    [[], [clusterIP], ["IPv4"], "SingleStack", "Cluster"],
  );
  assert.deepEqual(ports, [{ port: 80, protocol: "TCP", targetPort: 80 }]);
});

test("headless without a selector counts on both families", () => {
  const { object } = openKind("", "services").create(service({ clusterIP: "None" }));
  assert.deepEqual(
    [specOf(object)["clusterIPs"], specOf(object)["ipFamilies"], specOf(object)["ipFamilyPolicy"]],
    [["None"], ["IPv4", "IPv6"], "RequireDualStack"],
  );
});

test("an address or port that is taken or foreign is refused", () => {
  const services = openKind("", "services");
  services.create(
    service({ type: "NodePort", clusterIP: "10.0.0.9", ports: [{ port: 1, nodePort: 30001 }] }),
  );
  const refused = (spec: object): string => {
    try {
      services.create(service(spec));
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(
    refused({ clusterIP: "10.0.0.9", ports: [{ port: 1 }] }),
    /failed to allocate IP 10\.0\.0\.9: provided IP is already allocated$/,
  );
  assert.match(
    refused({ clusterIP: "10.9.0.9", ports: [{ port: 1 }] }),
    /the provided network does not match the current range$/,
  );
  assert.match(
    refused({ type: "NodePort", ports: [{ port: 1, nodePort: 30001 }] }),
    /spec\.ports\[0\]\.nodePort: Invalid value: 30001: provided port is already allocated$/,
  );
  assert.match(
    refused({ ipFamilyPolicy: "RequireDualStack", ports: [{ port: 1 }] }),
    /this cluster is not configured for dual-stack services$/,
  );
});

test("TCP and UDP of one port share a node port", () => {
  const { object } = openKind("", "services").create(
    service({
      type: "NodePort",
      ports: [
        { name: "a", port: 53 },
        { name: "b", port: 53, protocol: "UDP" },
      ],
    }),
  );
  const [a, b] = (specOf(object)["ports"] as { nodePort: number }[]).map(
    ({ nodePort }) => nodePort,
  );
  assert.ok(a! >= 30000 && a === b);
});

test("a manifest that is sent again keeps what the server gave", () => {
  const services = openKind("", "services");
  const manifest = service({ type: "NodePort", ports: [{ name: "web", port: 80 }] });
  const { object } = services.create(manifest);
  const again = services.update(structuredClone(object), manifest);
  assert.deepEqual([again.errors, again.object["spec"]], [[], object["spec"]]);
});

test("a change of type drops fields that the new type does not use", () => {
  const services = openKind("", "services");
  const { object } = services.create(
    service({ type: "LoadBalancer", externalTrafficPolicy: "Local", ports: [{ port: 80 }] }),
  );
  assert.ok(specOf(object)["healthCheckNodePort"]);
  const next = structuredClone(object);
  specOf(next)["type"] = "ClusterIP";
  const { object: plain, errors } = services.update(object, next);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    ["healthCheckNodePort", "externalTrafficPolicy", "allocateLoadBalancerNodePorts"].filter(
      (field) => field in specOf(plain),
    ),
    [],
  );
  assert.deepEqual(specOf(plain)["ports"], [{ port: 80, protocol: "TCP", targetPort: 80 }]);
});

test("the address of a service stays", () => {
  const services = openKind("", "services");
  const { object } = services.create(service({ clusterIP: "10.0.0.5", ports: [{ port: 80 }] }));
  const { errors } = services.update(
    object,
    service({ clusterIP: "10.0.0.6", ports: [{ port: 80 }] }),
  );
  assert.deepEqual(errors, [
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.6"]: may not change once set',
  ]);
});

test("ports differ in name, number and protocol", () => {
  const { errors } = openKind("", "services").create(
    service({
      ports: [
        { name: "x", port: 7 },
        { name: "x", port: 7 },
      ],
    }),
  );
  assert.deepEqual(errors, [
    'spec.ports[1].name: Duplicate value: "x"',
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":7,"TargetPort":0,"NodePort":0}',
  ]);
});

test("a claim releases uncommitted allocations", () => {
  const pool = createServicePool();
  const first = pool.claim();
  first.address("10.0.0.40");
  assert.throws(() => pool.claim().address("10.0.0.40"), /already allocated/);
  first.release();
  pool.claim().address("10.0.0.40");
});

test("an exhausted range is an error, and released values are allocated again", () => {
  const pool = createServicePool();
  const claim = pool.claim();
  const all = Array.from({ length: 254 }, () => claim.nextAddress());
  assert.equal(new Set(all).size, 254);
  assert.throws(() => claim.nextAddress(), { message: "range is full", isFull: true });
  pool.hold({ addresses: all, ports: [] });
  claim.release();
  pool.free({ addresses: ["10.0.0.99"], ports: [] });
  assert.equal(pool.claim().nextAddress(), "10.0.0.99");
});
