import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { formatRatio } from "./limit-ranger/format-ratio.ts";
import { createLimitRanger } from "./limit-ranger.ts";
import { tryPlugin, type Wanted } from "./testdata/try-plugin.ts";

const range = (...limits: JsonObject[]): JsonObject => ({
  metadata: { name: "r", namespace: "home" },
  spec: { limits },
});
const refusal = async (limits: readonly JsonObject[], wanted: Wanted) =>
  (await tryPlugin(createLimitRanger, wanted, { limitranges: [range(...limits)] })).refusal;
const container = (name: string, resources?: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  image: "i",
  ...(resources ? { resources } : {}),
  ...more,
});
const pod = (...containers: JsonObject[]): JsonObject => ({
  metadata: { name: "p" },
  spec: { containers },
});
const at = (requests: JsonObject, limits: JsonObject = {}): JsonObject => ({ requests, limits });

test("containers get what they lack, and an annotation tells of it", async () => {
  const object: JsonObject = {
    metadata: { name: "p", annotations: { a: "b" } },
    spec: {
      containers: [container("one"), container("two", at({ cpu: "1" }, { memory: "1Gi" }))],
      initContainers: [container("init")],
    },
  };
  const limits = {
    type: "Container",
    default: { memory: "512Mi", cpu: "2" },
    defaultRequest: { cpu: "100m" },
  };
  assert.equal(await refusal([limits, { type: "Pod" }], { object }), undefined);
  const spec = object["spec"] as Record<string, readonly JsonObject[]>;
  assert.deepEqual(
    [...spec["containers"]!, ...spec["initContainers"]!].map((each) => each["resources"]),
    [
      { requests: { cpu: "100m" }, limits: { memory: "512Mi", cpu: "2" } },
      { requests: { cpu: "1" }, limits: { memory: "1Gi", cpu: "2" } },
      { requests: { cpu: "100m" }, limits: { memory: "512Mi", cpu: "2" } },
    ],
  );
  assert.deepEqual((object["metadata"] as JsonObject)["annotations"], {
    a: "b",
    "kubernetes.io/limit-ranger":
      "LimitRanger plugin set: cpu request for container one; cpu, memory limit for container one; cpu limit for container two; cpu request for init container init; cpu, memory limit for init container init",
  });
});

test("a container keeps within minimum, maximum and ratio", async () => {
  const limits = [
    {
      type: "Container",
      min: { cpu: "100m" },
      max: { cpu: "1" },
      maxLimitRequestRatio: { cpu: "2" },
    },
  ];
  const of = (requests: JsonObject, limit: JsonObject = {}) =>
    refusal(limits, { object: pod(container("c", at(requests, limit))) });
  assert.equal(await of({ cpu: "500m" }, { cpu: "1" }), undefined);
  assert.equal(
    await of({}),
    'pods "p" is forbidden: [minimum cpu usage per Container is 100m.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified, cpu max limit to request ratio per Container is 2, but no request is specified or request is 0]',
  );
  assert.equal(
    await of({ cpu: "50m" }, { cpu: "60m" }),
    'pods "p" is forbidden: minimum cpu usage per Container is 100m, but request is 50m',
  );
  assert.equal(
    await of({ cpu: "100m" }, { cpu: "2" }),
    'pods "p" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 2, but provided ratio is 20.000000]',
  );
  assert.equal(
    await of({ cpu: "2" }, { cpu: "1" }),
    'pods "p" is forbidden: maximum cpu usage per Container is 1, but request is 2',
  );
  assert.equal(
    await of({ cpu: "100m" }),
    'pods "p" is forbidden: [maximum cpu usage per Container is 1.  No limit is specified, cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0]',
  );
});

test("a pod's sum has sidecars, and resources of the whole pod replace it", async () => {
  const limits = [{ type: "Pod", max: { memory: "1Gi" } }];
  const big = at({ memory: "600Mi" }, { memory: "600Mi" });
  const object = pod(container("c", big));
  const spec = object["spec"] as JsonObject;
  spec["initContainers"] = [container("s", big, { restartPolicy: "Always" })];
  assert.equal(
    await refusal(limits, { object }),
    'pods "p" is forbidden: maximum memory usage per Pod is 1Gi, but limit is 1200Mi',
  );
  spec["resources"] = at({ memory: "1Gi" }, { memory: "1Gi" });
  assert.equal(await refusal(limits, { object }), undefined);
  const quick = pod(container("c", big));
  (quick["spec"] as JsonObject)["initContainers"] = [container("i", big)];
  assert.equal(await refusal(limits, { object: quick }), undefined);
});

test("a claim's request keeps within the bounds, on updates too", async () => {
  const limits = [
    { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
  ];
  const claim = (storage: string): JsonObject => ({
    metadata: { name: "c" },
    spec: { resources: { requests: { storage } } },
  });
  const of = (storage: string, more: Wanted = {}) =>
    refusal(limits, { resource: "persistentvolumeclaims", object: claim(storage), ...more });
  assert.equal(await of("1Gi"), undefined);
  assert.equal(
    await of("1Mi"),
    'persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
  );
  const tooMuch =
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi';
  assert.equal(await of("3Gi", { operation: "UPDATE", old: claim("1Gi") }), tooMuch);
  const going = { metadata: { name: "c", deletionTimestamp: "2026-01-01T00:00:00Z" } };
  assert.equal(await of("3Gi", { operation: "UPDATE", old: going }), undefined);
  assert.equal(await of("3Gi", { operation: "UPDATE", subresource: "status", old: {} }), undefined);
});

test("of updates of pods only resizes are looked at", async () => {
  const limits = [{ type: "Container", max: { cpu: "1" } }];
  const object = pod(container("c", at({}, { cpu: "2" })));
  const update = { operation: "UPDATE", object, old: pod() } as const;
  assert.equal(await refusal(limits, update), undefined);
  assert.match(String(await refusal(limits, { ...update, subresource: "resize" })), /limit is 2$/);
});

test("a ratio is printed as Go prints it", () => {
  assert.deepEqual([2, 129 / 128, 131 / 128, 10 / 3].map(formatRatio), [
    "2.000000",
    "1.007812",
    "1.023438",
    "3.333333",
  ]);
});
