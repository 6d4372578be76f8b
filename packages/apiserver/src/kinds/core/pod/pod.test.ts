import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { at, context, create, plain, pods, view } from "./pod.suite.ts";

test("a new pod is pending and has a generation and a QoS class", () => {
  const { pod, errors } = create({
    containers: [{ name: "c", image: "app", resources: { limits: { cpu: "1", memory: "1Gi" } } }],
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(pod["status"], { phase: "Pending", qosClass: "Guaranteed" });
  assert.deepEqual(
    [
      at(pod, "spec", "containers", 0)["imagePullPolicy"],
      at(pod, "spec", "containers", 0, "resources")["requests"],
      at(pod, "metadata")["generation"],
    ],
    ["Always", { cpu: "1", memory: "1Gi" }, 1],
  );
});

test("the requests of a pod default to its limits and the sum of its containers", () => {
  const container = (name: string): object => ({
    name,
    image: "a:1",
    resources: { requests: { cpu: "100m" } },
  });
  const { pod, errors } = create({
    resources: { limits: { cpu: "1", memory: "1Gi" } },
    containers: [container("a"), container("b")],
  });
  assert.deepEqual(
    [errors, at(pod, "spec", "resources")["requests"]],
    [[], { cpu: "200m", memory: "1Gi" }],
  );
});

test("each container is validated", () => {
  const { errors } = create({
    volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }],
    containers: [
      {
        name: "A",
        image: "",
        ports: [{ containerPort: 0 }],
        env: [{ name: "e", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        volumeMounts: [{ name: "none", mountPath: "/m" }],
      },
      {
        name: "b",
        image: "b:1",
        livenessProbe: { successThreshold: 2 },
        resources: { requests: { memory: "2" }, limits: { memory: "1", gpu: "1" } },
      },
    ],
  });
  assert.deepEqual(errors, [
    "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
    "spec.containers[0].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    "spec.containers[0].image: Required value",
    "spec.containers[0].ports[0].containerPort: Required value",
    'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    'spec.containers[0].volumeMounts[0].name: Not found: "none"',
    'spec.containers[1].resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
    'spec.containers[1].resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
    'spec.containers[1].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
    'spec.containers[1].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
    'spec.containers[1].resources.requests: Invalid value: "2": must be less than or equal to memory limit of 1',
    "spec.containers[1].livenessProbe: Required value: must specify a handler type",
    "spec.containers[1].livenessProbe.successThreshold: Invalid value: 2: must be 1",
  ]);
});

test("a new pod has warnings on valid but suspicious fields", () => {
  const { warnings } = create({
    containers: [
      {
        name: "c",
        image: "a:1",
        env: [
          { name: "X", value: "1" },
          { name: "X", value: "2" },
        ],
        ports: [{ containerPort: 1 }, { containerPort: 1 }],
      },
    ],
    nodeSelector: { "beta.kubernetes.io/os": "linux" },
  });
  assert.deepEqual(warnings, [
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.containers[0].env[1]: hides previous definition of "X", which may be dropped when using apply',
    "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
  ]);
});

test("matchLabelKeys become expressions with the pod's values", () => {
  const { pod } = create(
    {
      ...plain,
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: {},
          matchLabelKeys: ["rev", "none"],
        },
      ],
    },
    { labels: { rev: "7" } },
  );
  assert.deepEqual(at(pod, "spec", "topologySpreadConstraints", 0, "labelSelector"), {
    matchExpressions: [{ key: "rev", operator: "In", values: ["7"] }],
  });
});

test("only pods that are bound and running have a grace period", () => {
  const grace = pods.strategy.gracePeriod!;
  const spec = { nodeName: "a", terminationGracePeriodSeconds: 30 };
  assert.deepEqual(
    [
      grace({ spec, status: {} }, undefined),
      grace({ spec, status: {} }, 5),
      grace({ spec, status: { phase: "Failed" } }, undefined),
      grace({ spec: {}, status: {} }, 5),
    ],
    [30, 5, 0, 0],
  );
});

test("the annotation of tolerations is JSON that no decoder has seen", () => {
  const { errors } = create(plain, {
    annotations: {
      "scheduler.alpha.kubernetes.io/tolerations": '[{"key": 7, "operator": "Exists", "value": 8}]',
    },
  });
  assert.deepEqual(errors, []);
});

test("a status has warnings on addresses with leading zeros", () => {
  const { pod } = create(plain);
  at(pod, "status")["podIPs"] = [{ ip: "10.0.0.01" }] as unknown as JsonObject;
  assert.deepEqual(view("status").warningsOnUpdate(pod, pod, context()), [
    'status.podIPs[0].ip: non-standard IP address "10.0.0.01" is invalid: use "10.0.0.1"',
  ]);
});
