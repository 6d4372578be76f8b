// The usage of objects, their scopes, and the status of a quota.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatQuantity } from "../../apimachinery/values/quantity.ts";
import {
  claimUsage,
  countName,
  isClaimResource,
  serviceUsage,
} from "../../kinds/core/quota/object-usage.ts";
import {
  isCharged,
  isPodInScope,
  isPodResource,
  podUsage,
} from "../../kinds/core/quota/pod-usage.ts";
import type { ResourceSum } from "../../kinds/core/resources/resource-lists.ts";
import type { QuotaObject } from "../../kinds/core/quota/quota-amounts.ts";
import type {
  ResourceQuota,
  ScopedResourceSelectorRequirement as ScopeRequirement,
} from "homeostat/k8s/core/v1";
import { evaluatorFor } from "../../kinds/core/quota/evaluators.ts";
import { nextQuotaStatus } from "./next-quota-status.ts";

const nothing = { classes: () => [], pod: () => undefined, claims: () => [] };

const now = Date.parse("2024-01-01T00:10:00Z");
const object = (spec: object, status: object = {}, metadata: object = {}): QuotaObject =>
  ({
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "x", namespace: "ns", ...metadata },
    spec,
    status,
  }) as unknown as QuotaObject;
const texts = (sums: ResourceSum): Record<string, string> =>
  Object.fromEntries([...sums].map(([name, amount]) => [name, formatQuantity(amount)]));
const container = (requests: object, limits: object = {}, more: object = {}): object => ({
  name: "c",
  resources: { requests, limits },
  ...more,
});

test("the usage of a pod is what its containers request, under all names", () => {
  const spec = {
    containers: [
      container({ cpu: "100m", memory: "64Mi", "example.com/gpu": "1" }, { cpu: "1" }),
      container({ cpu: "200m", "hugepages-2Mi": "4Mi" }, { memory: "1Gi" }),
    ],
    overhead: { cpu: "50m", memory: "1Mi" },
  };
  assert.deepEqual(texts(podUsage(object(spec), now)), {
    "count/pods": "1",
    pods: "1",
    cpu: "350m",
    "requests.cpu": "350m",
    memory: "65Mi",
    "requests.memory": "65Mi",
    "requests.example.com/gpu": "1",
    "hugepages-2Mi": "4Mi",
    "requests.hugepages-2Mi": "4Mi",
    "limits.cpu": "1050m",
    "limits.memory": "1025Mi",
  });
  const own = {
    containers: [container({ cpu: "100m" })],
    resources: { requests: { cpu: "3" }, limits: { memory: "1Gi" } },
  };
  assert.deepEqual(
    [texts(podUsage(object(own), now))["cpu"], texts(podUsage(object(own), now))["limits.memory"]],
    ["3", "1Gi"],
  );
});

test("a container being resized is charged the higher of its desired and its actual resources", () => {
  const has = (conditions: readonly object[]): string | undefined =>
    texts(
      podUsage(
        object(
          { containers: [container({ cpu: "3" })] },
          {
            conditions,
            containerStatuses: [
              {
                name: "c",
                allocatedResources: { cpu: "2" },
                resources: { requests: { cpu: "1" } },
              },
            ],
          },
        ),
        now,
      ),
    )["cpu"];
  assert.deepEqual(
    [has([]), has([{ type: "PodResizePending", reason: "Infeasible" }])],
    ["3", "2"],
  );
});

test("a pod that has finished, or whose deletion is overdue, only counts as an object", () => {
  assert.deepEqual(
    texts(podUsage(object({ containers: [container({ cpu: "1" })] }, { phase: "Succeeded" }), now)),
    { "count/pods": "1" },
  );
  const going = (deletionTimestamp: string): QuotaObject =>
    object({}, {}, { deletionTimestamp, deletionGracePeriodSeconds: 30 });
  assert.deepEqual(
    [going("2024-01-01T00:09:50Z"), going("2024-01-01T00:09:00Z")].map((pod) =>
      isCharged(pod, now),
    ),
    [true, false],
  );
});

test("scopes match deadlines, quality of service, priority and affinity", () => {
  const plain = object({ containers: [container({})] });
  const busy = object({
    containers: [container({ cpu: "1" })],
    activeDeadlineSeconds: 0,
    priorityClassName: "high",
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ["x"] }] },
    },
  });
  const within = (
    scopeName: ScopeRequirement["scopeName"],
    operator: ScopeRequirement["operator"] = "Exists",
    values: readonly string[] = [],
  ): readonly boolean[] =>
    [plain, busy].map((pod) => isPodInScope({ scopeName, operator, values }, pod));
  assert.deepEqual(
    [
      within("Terminating"),
      within("NotTerminating"),
      within("BestEffort"),
      within("NotBestEffort"),
      within("CrossNamespacePodAffinity"),
    ],
    [
      [false, true],
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ],
  );
  assert.deepEqual(
    [
      within("PriorityClass"),
      within("PriorityClass", "DoesNotExist"),
      within("PriorityClass", "In", ["high"]),
      within("PriorityClass", "NotIn", ["high"]),
      within("VolumeAttributesClass"),
    ],
    [
      [false, true],
      [true, false],
      [false, true],
      [true, false],
      [false, false],
    ],
  );
});

test("the usage of services has node ports and load balancers, of claims whole bytes by class", () => {
  const service = (spec: object): unknown => [
    texts(serviceUsage(object(spec)))["services.nodeports"],
    texts(serviceUsage(object(spec)))["services.loadbalancers"],
  ];
  const ports = [{ port: 1 }, { port: 2, nodePort: 30000 }];
  assert.deepEqual(
    [
      service({ ports }),
      service({ type: "NodePort", ports }),
      service({ type: "LoadBalancer", ports }),
      service({ type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false }),
    ],
    [
      ["0", "0"],
      ["2", "0"],
      ["2", "1"],
      ["1", "1"],
    ],
  );
  const claim = object(
    { storageClassName: "gold", resources: { requests: { storage: "1500m" } } },
    { allocatedResources: { storage: "1" } },
  );
  assert.deepEqual(texts(claimUsage(claim)), {
    "count/persistentvolumeclaims": "1",
    persistentvolumeclaims: "1",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    "requests.storage": "2",
    "gold.storageclass.storage.k8s.io/requests.storage": "2",
  });
});

test("each resource name belongs to one evaluator", () => {
  assert.deepEqual(
    ["cpu", "requests.example.com/gpu", "hugepages-1Gi", "requests.storage", "services"].map(
      isPodResource,
    ),
    [true, true, true, false, false],
  );
  assert.deepEqual(
    ["requests.storage", "a.storageclass.storage.k8s.io/requests.storage", "storage"].map(
      isClaimResource,
    ),
    [true, true, false],
  );
  assert.equal(countName({ group: "apps", resource: "deployments" }), "count/deployments.apps");
  assert.deepEqual(
    ["count/secrets", "secrets", "count/leases"].map((name) =>
      evaluatorFor({ group: "", resource: "secrets" }, nothing).covers(name),
    ),
    [true, true, false],
  );
  assert.equal(
    evaluatorFor({ group: "x.io", resource: "secrets" }, nothing).covers("secrets"),
    false,
  );
});

test("the status repeats the limits, sums the usage of evaluated resources and keeps the rest", () => {
  const quota = (status?: object): ResourceQuota =>
    ({
      metadata: { name: "q" },
      spec: { hard: { pods: "2", "limits.cpu": "3", "count/odd.x": "1", "count/other.x": "1" } },
      status,
    }) as unknown as ResourceQuota;
  const tracked = [
    {
      evaluator: evaluatorFor({ group: "", resource: "pods" }, nothing),
      objects: [
        object({ containers: [container({}, { cpu: "500m" })] }),
        object({ containers: [container({}, { cpu: "1" })] }),
      ],
    },
  ];
  const next = nextQuotaStatus(quota({ used: { "count/odd.x": "1", gone: "4" } }), tracked, now)!;
  assert.deepEqual(next, {
    hard: { pods: "2", "limits.cpu": "3", "count/odd.x": "1", "count/other.x": "1" },
    used: { pods: "2", "limits.cpu": "1500m", "count/odd.x": "1" },
  });
  assert.equal(
    nextQuotaStatus(quota({ ...next, used: { ...next.used, "limits.cpu": "1.5" } }), tracked, now),
    undefined,
  );
});

test("what several resources use under one name is summed", () => {
  const name = "requests.deviceclass.resource.kubernetes.io/gold";
  const classes = () => [{ metadata: { name: "gold" }, spec: {} }];
  const request = { exactly: { deviceClassName: "gold", allocationMode: "ExactCount", count: 2 } };
  const claim = { metadata: { name: "c" }, spec: { devices: { requests: [request] } } };
  const status = nextQuotaStatus(
    { metadata: { name: "q" }, spec: { hard: { [name]: "9" } }, status: {} } as never,
    [
      {
        evaluator: evaluatorFor({ group: "", resource: "pods" }, nothing),
        objects: [object({ containers: [container({ [name.slice("requests.".length)]: "1" })] })],
      },
      {
        evaluator: evaluatorFor(
          { group: "resource.k8s.io", resource: "resourceclaims" },
          { ...nothing, classes },
        ),
        objects: [claim as unknown as QuotaObject],
      },
    ],
    0,
  );
  assert.deepEqual(status?.used, { [name]: "3" });
});
