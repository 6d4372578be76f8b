import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "homeostat/api";
import { at, change, create, plain, pods, view } from "../pod.suite.ts";

test("an update changes images and adds tolerations, and nothing else", () => {
  const { pod: old } = create(plain);
  const image = change(old, (pod) => void (at(pod, "spec", "containers", 0)["image"] = "app:2"));
  assert.deepEqual([image.errors, at(image.pod, "metadata")["generation"]], [[], 2]);
  assert.match(
    change(old, (pod) => void (at(pod, "spec", "containers", 0)["command"] = ["x"])).errors.join(),
    /^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/,
  );
  assert.deepEqual(
    change(old, (pod) => void (at(pod, "spec")["containers"] = [])).errors.slice(-1),
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
  );
});

test("the node selector of a gated pod may become narrower", () => {
  const { pod: old } = create({
    ...plain,
    schedulingGates: [{ name: "a/b" }],
    nodeSelector: { x: "1" },
  });
  assert.equal(at(old, "status", "conditions", 0)["reason"], "SchedulingGated");
  assert.deepEqual(
    change(old, (pod) => void (at(pod, "spec")["nodeSelector"] = { x: "1", y: "2" })).errors,
    [],
  );
  assert.deepEqual(
    change(old, (pod) => void (at(pod, "spec")["nodeSelector"] = { y: "2" })).errors,
    [
      'spec.nodeSelector: Invalid value: {"y":"2"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
  );
});

test("a resize changes resources and keeps the QoS class", () => {
  const { pod: old } = create({
    containers: [{ name: "c", image: "a:1", resources: { requests: { cpu: "1" } } }],
  });
  const more = change(
    old,
    (pod) => {
      at(pod, "spec", "containers", 0)["resources"] = { requests: { cpu: "2" } };
      at(pod, "spec", "containers", 0)["image"] = "other";
    },
    view("resize"),
  );
  assert.deepEqual(
    [
      more.errors,
      at(more.pod, "spec", "containers", 0)["image"],
      at(more.pod, "metadata")["generation"],
    ],
    [[], "a:1", 2],
  );
  assert.deepEqual(
    change(old, (pod) => void (at(pod, "spec", "containers", 0)["resources"] = {}), view("resize"))
      .errors,
    [
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    ],
  );
});

test("a status keeps the QoS class, and podIP wins over podIPs", () => {
  const { pod: old } = create(plain);
  const { pod, errors } = change(
    old,
    (next) => void (next["status"] = { phase: "Running" }),
    view("status"),
  );
  assert.deepEqual([errors, pod["status"]], [[], { phase: "Running", qosClass: "BestEffort" }]);
  const both = pods.codec.decode(
    parseJson(
      JSON.stringify({
        metadata: {},
        spec: plain,
        status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.2" }] },
      }),
    ),
  ).object;
  assert.deepEqual(at(both, "status")["podIPs"], [{ ip: "10.0.0.1" }]);
});

test("requirements may be added to node affinity terms of a gated pod; errors print them as Go does", () => {
  const terms = (key: string): JsonObject => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "Exists" }] }],
      },
    },
  });
  const { pod } = create({ ...plain, schedulingGates: [{ name: "g" }], affinity: terms("x") });
  const path =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]";
  const { errors } = change(pod, (next) => void (at(next, "spec")["affinity"] = terms("y")));
  assert.deepEqual(errors, [
    `${path}: Invalid value: {"MatchExpressions":[{"Key":"y","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed (no mutations or deletions)`,
  ]);
});

test("two pod addresses have different families; an invalid address is an internal error", () => {
  const { pod } = create(plain);
  const { errors } = change(
    pod,
    (next) => void (next["status"] = { podIPs: [{ ip: "10.0.0.1" }, { ip: "x" }] }),
    view("status"),
  );
  assert.deepEqual(errors.slice(-2), [
    "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: x",
    'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"x"}]: may specify no more than one IP for each IP family',
  ]);
});
