import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { openKind } from "../open-kind.suite.ts";

const metadata = { name: "a", namespace: "n" };

test("containers default to the limits of their namespace", () => {
  const { object } = openKind("", "limitranges").create({
    metadata,
    spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" } }] },
  });
  const [item] = (object["spec"] as { limits: JsonObject[] }).limits;
  assert.deepEqual(
    [item!["default"], item!["defaultRequest"]],
    [{ cpu: "2" }, { cpu: "2", memory: "1Mi" }],
  );
});

test("limits must fit each other", () => {
  const { errors } = openKind("", "limitranges").create({
    metadata,
    spec: {
      limits: [
        { type: "Pod", min: { cpu: "2" }, max: { cpu: "1" }, default: { cpu: "1" } },
        { type: "PersistentVolumeClaim", max: { "x.io/y": "1" } },
      ],
    },
  });
  assert.deepEqual(errors, [
    "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    "spec.limits[1].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
  ]);
});

test("quotas count whole things, within scopes that apply", () => {
  const { errors } = openKind("", "resourcequotas").create({
    metadata,
    spec: { hard: { pods: "1500m", services: "1" }, scopes: ["BestEffort"] },
  });
  assert.deepEqual(errors, [
    'spec.hard[pods]: Invalid value: "1500m": must be an integer',
    'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
  ]);
});

test("a quota that requests more than it limits is odd", () => {
  const { warnings } = openKind("", "resourcequotas").create({
    metadata,
    spec: { hard: { cpu: "2", "limits.cpu": "1" } },
  });
  assert.deepEqual(warnings, ["ResourceQuota cpu (2) should be less than limits.cpu (1)"]);
});

test("endpoints need addresses, and names for several ports", () => {
  const { errors } = openKind("", "endpoints").create({
    metadata,
    subsets: [{ ports: [{ port: 1 }, { port: 2 }] }, { addresses: [{ ip: "127.0.0.1" }] }],
  });
  assert.deepEqual(errors, [
    "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
    "subsets[0].ports[0].name: Required value",
    "subsets[0].ports[1].name: Required value",
    'subsets[1].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ]);
});

test("a new node is unready, and keeps its network", () => {
  const nodes = openKind("", "nodes");
  const { object, errors } = nodes.create({
    metadata: { name: "n1" },
    spec: { podCIDR: "10.1.0.0/24" },
  });
  assert.deepEqual(
    [object["spec"], errors],
    [
      {
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
      },
      [],
    ],
  );
  assert.match(
    nodes.update(object, { metadata: { name: "n1" }, spec: { podCIDR: "10.2.0.0/24" } }).errors[0]!,
    /^spec\.podCIDRs: Forbidden: node updates may not change podCIDR/,
  );
  assert.deepEqual(nodes.cells(object).slice(1, 3), ["Unknown", "<none>"]);
});

test("a volume is protected, dated and has one source", () => {
  const volumes = openKind("", "persistentvolumes");
  const spec = {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/x" },
  };
  const { object, errors } = volumes.create({ metadata: { name: "v" }, spec });
  assert.deepEqual(
    [errors, object["status"], (object["metadata"] as JsonObject)["finalizers"]],
    [
      [],
      { phase: "Pending", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" },
      ["kubernetes.io/pv-protection"],
    ],
  );
  assert.deepEqual(
    volumes.create({ metadata: { name: "v" }, spec: { ...spec, local: { path: "/y" } } }).errors,
    ["spec.local: Forbidden: may not specify more than 1 volume type"],
  );
  assert.match(
    volumes.update(object, { metadata: { name: "v" }, spec: { ...spec, hostPath: { path: "/z" } } })
      .errors[0]!,
    /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation/,
  );
});

test("a claim is frozen until it is bound, and then may only grow", () => {
  const claims = openKind("", "persistentvolumeclaims");
  const body = (storage: string): object => ({
    metadata,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
  const { object } = claims.create(body("2Gi"));
  assert.match(
    claims.update(object, body("3Gi")).errors[0]!,
    /^spec: Forbidden: spec is immutable after creation/,
  );
  const bound = { ...object, status: { phase: "Bound", capacity: { storage: "2Gi" } } };
  assert.deepEqual(claims.update(bound, body("3Gi")).errors, []);
  assert.deepEqual(claims.update(bound, body("1Gi")).errors, [
    "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
  ]);
});

test("a node has one network of each family; the family of an invalid network is an internal error", () => {
  const { errors } = openKind("", "nodes").create({
    metadata: { name: "n1" },
    spec: { podCIDRs: ["10.1.0.0/24", "b"] },
  });
  assert.deepEqual(errors.slice(-2), [
    "spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: b)",
    'spec.podCIDRs: Invalid value: ["10.1.0.0/24","b"]: may specify no more than one CIDR for each IP family',
  ]);
});

test("a limit range without a name gets one", () => {
  const { create } = openKind("", "limitranges");
  const nameOf = (metadata: object): unknown =>
    (create({ metadata, spec: { limits: [] } }).object.metadata as { name?: string }).name;
  assert.match(String(nameOf({})), /^[\da-f]{8}-[\da-f]{4}-4/);
  assert.equal(nameOf({ name: "a" }), "a");
});

test("annotations of nodes that hold JSON are validated", () => {
  const errors = (name: string, text: string): readonly string[] =>
    openKind("", "nodes").create({
      metadata: { name: "a", annotations: { [`scheduler.alpha.kubernetes.io/${name}`]: text } },
    }).errors;
  const avoided = (text: string): readonly string[] => errors("preferAvoidPods", text);
  const refused =
    'metadata.annotations.AvoidPods: Invalid value: "scheduler.alpha.kubernetes.io/preferAvoidPods": ';
  const at = "metadata.annotations.scheduler.alpha.kubernetes.io";
  const by = (controller: string): string =>
    `{"preferAvoidPods":[{"podSignature":{"podController":{"controller":${controller}}}}]}`;
  assert.deepEqual(avoided(by("true")), []);
  assert.deepEqual(avoided(by("false")), [
    `${at}/preferAvoidPods[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
  ]);
  assert.deepEqual(avoided('{"preferAvoidPods":[null]}'), [
    `${at}/preferAvoidPods[0].PodSignature: Required value`,
  ]);
  assert.deepEqual(avoided("{"), [`${refused}unexpected end of JSON input`]);
  assert.deepEqual(avoided('{"PreferAvoidPods":[{"reason":1},{"message":true}]}'), [
    `${refused}json: cannot unmarshal number into Go struct field PreferAvoidPodsEntry.preferAvoidPods.reason of type string`,
  ]);
  assert.deepEqual(avoided('{"preferAvoidPods":[{"reason":1,"evictionTime":"x"}]}'), [
    `${refused}parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`,
  ]);
  assert.deepEqual(errors("taints", '[{"key":"a","Effect":"NoSchedule"}]'), []);
  assert.deepEqual(errors("taints", '[{"key":"a"}]'), [`${at}/taints[0].effect: Required value`]);
  assert.deepEqual(errors("taints", "{}"), [
    'metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/taints": json: cannot unmarshal object into Go value of type []core.Taint',
  ]);
});
