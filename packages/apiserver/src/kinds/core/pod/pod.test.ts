import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "homeostat/api";
import { createTokenIssuer } from "../../../certificates/token-issuer.ts";
import { deducedType } from "../../../merge/smd-type.ts";
import type {
  ConnectTools,
  ServedResource,
  Strategy,
  WriteContext,
} from "../../../registry/served-resource.ts";
import { createBuiltinResources } from "../../create-builtin-resources.ts";
import { readKindData } from "../../data/read-kind-data.ts";
import { imageTag } from "./image-name.ts";

const data = readKindData("1.36");
const pods: ServedResource = createBuiltinResources({ data, smdOf: () => deducedType }).find(
  (each) => each.resource === "pods",
)!;

const context = (warnings: string[] = []): WriteContext => ({
  user: "u",
  dryRun: false,
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  warn: (text) => void warnings.push(text),
});
const texts = (errors: readonly { readonly field: string; readonly body: string }[]): string[] =>
  errors.map((error) => `${error.field}: ${error.body.split("\n", 1)[0]}`);
const at = (object: JsonObject, ...path: readonly (string | number)[]): JsonObject =>
  path.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown>)[step],
    object,
  ) as JsonObject;

interface Created {
  readonly pod: JsonObject;
  readonly errors: string[];
  readonly warnings: string[];
}

function create(spec: object, metadata: object = {}): Created {
  const warnings: string[] = [];
  const pod = pods.codec.decode(
    parseJson(
      JSON.stringify({
        metadata: { name: "p", namespace: "n", resourceVersion: "1", ...metadata },
        spec,
      }),
    ),
  ).object;
  pods.strategy.prepareForCreate(pod, context(warnings));
  return { pod, errors: texts(pods.strategy.validateCreate(pod, context(warnings))), warnings };
}

function change(
  old: JsonObject,
  edit: (pod: JsonObject) => void,
  strategy: Strategy = pods.strategy,
): { readonly pod: JsonObject; readonly errors: string[] } {
  const pod = structuredClone(old);
  edit(pod);
  strategy.prepareForUpdate(pod, old, context());
  return { pod, errors: texts(strategy.validateUpdate(pod, old, context())) };
}

const view = (name: string): Strategy => {
  const found = pods.subresources.get(name);
  assert.ok(found?.at === "view");
  return found.strategy;
};

const plain = { containers: [{ name: "c", image: "app:1" }] };

test("tags of images decide when they are pulled", () => {
  const tags = {
    app: "latest",
    "app:1": "1",
    "host:5000/a/b": "latest",
    [`app:latest@sha256:${"a".repeat(64)}`]: "latest",
    [`app@sha256:${"a".repeat(64)}`]: "",
    "App:1": "",
    "a b": "",
  };
  for (const [image, tag] of Object.entries(tags)) assert.equal(imageTag(image), tag, image);
});

test("a new pod is pending, numbered and of a class", () => {
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

test("requests of a whole pod follow its limits and its containers", () => {
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

test("containers are checked one by one", () => {
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

test("what is valid but odd is warned of", () => {
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

test("keys of labels become selectors with the pod's values", () => {
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

test("a pod may get another image and more tolerations, but no other name or command", () => {
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

test("a gated pod may be narrowed", () => {
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

test("a resize changes resources, never the class", () => {
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

test("a status keeps the class, and podIP wins over podIPs", () => {
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

test("only pods that run somewhere are given time to end", () => {
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

test("a row tells the most telling reason", () => {
  const cells = (status: object, metadata: object = {}): unknown[] =>
    pods.table
      .cells(
        {
          metadata: { name: "p", ...metadata },
          spec: { containers: [{}, {}], initContainers: [{ name: "i" }] },
          status,
        } as unknown as JsonObject,
        0,
      )
      .slice(1, 4);
  assert.deepEqual(
    cells({
      phase: "Pending",
      initContainerStatuses: [{ name: "i", state: { waiting: { reason: "ErrImagePull" } } }],
    }),
    ["0/2", "Init:ErrImagePull", "0"],
  );
  assert.deepEqual(
    cells({
      phase: "Running",
      containerStatuses: [{ ready: true, restartCount: 2, state: { running: {} } }],
    }),
    ["1/2", "Running", "2"],
  );
  assert.deepEqual(cells({ phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }), [
    "0/2",
    "Terminating",
    "0",
  ]);
});

const untouched: ConnectTools = {
  query: () => undefined,
  integer: () => undefined,
  overwrite: async () => {},
  overwriteOther: async () => {},
  remove: async () => {},
  list: () => [],
  find: () => undefined,
  tokens: createTokenIssuer(),
  newUid: () => "uid",
};

test("a binding names the node once", async () => {
  const binding = pods.subresources.get("binding")!;
  assert.ok(binding.at === "connect");
  const { pod } = create(plain);
  const tools: ConnectTools = { ...untouched, overwrite: async (edit) => edit(pod) };
  const body = { metadata: { name: "p" }, target: { name: "node-1" } };
  assert.equal((await binding.handle(pod, body, context(), tools)).status, 201);
  assert.deepEqual(
    [at(pod, "spec")["nodeName"], at(pod, "status", "conditions", 0)["type"]],
    ["node-1", "PodScheduled"],
  );
  await assert.rejects(
    binding.handle(pod, body, context(), tools),
    /pods\/binding "p": pod p is already assigned to node "node-1"/,
  );
  const check = (sent: JsonObject): void => binding.precheck!(sent, { name: "p", namespace: "ns" });
  assert.throws(() => check({ ...body, target: {} }), /^.*target.name: Required value$/);
  assert.throws(
    () => check({ ...body, metadata: { name: "q" } }),
    /name in URL does not match name in Binding object/,
  );
});

test("a budget without disruptions refuses an eviction", async () => {
  const eviction = pods.subresources.get("eviction")!;
  assert.ok(eviction.at === "connect");
  const { pod } = create(plain, { labels: { app: "x" } });
  at(pod, "status")["phase"] = "Running";
  at(pod, "status")["conditions"] = [{ type: "Ready", status: "True" }] as unknown as JsonObject;
  const budget: JsonObject = {
    metadata: { name: "b" },
    spec: { selector: { matchLabels: { app: "x" } } },
    status: { observedGeneration: 7, disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 },
  };
  const tools: ConnectTools = {
    ...untouched,
    list: () => [budget],
    overwriteOther: async (_kind, _name, edit) => edit(budget),
  };
  await assert.rejects(
    eviction.handle(pod, { metadata: { name: "p" } }, context(), tools),
    /Cannot evict pod as it would violate the pod's disruption budget/,
  );
  at(budget, "status")["disruptionsAllowed"] = 1 as unknown as JsonObject;
  assert.equal(
    (await eviction.handle(pod, { metadata: { name: "p" } }, context(), tools)).status,
    201,
  );
  assert.deepEqual(
    [
      at(budget, "status")["disruptionsAllowed"],
      Object.keys(at(budget, "status", "disruptedPods")),
    ],
    [0, ["p"]],
  );
  assert.equal(at(budget, "status", "conditions", 0)["observedGeneration"], 7);
});

test("an eviction's options are those of a delete, and checked when everything else is done", async () => {
  const eviction = pods.subresources.get("eviction")!;
  assert.ok(eviction.at === "connect");
  const { handle, precheck } = eviction;
  const { pod } = create(plain);
  const done: string[] = [];
  const tools: ConnectTools = {
    ...untouched,
    overwrite: async () => void done.push("marked"),
    remove: async () => void done.push("removed"),
  };
  const evict = (
    deleteOptions: JsonObject,
    more?: { readonly dryRun: boolean },
  ): Promise<unknown> =>
    handle(pod, { metadata: { name: "p" }, deleteOptions }, { ...context(), ...more }, tools);
  assert.throws(
    () => precheck!({ metadata: { name: "q" } }, { name: "p", namespace: "ns" }),
    /name in URL does not match name in Eviction object/,
  );
  assert.throws(
    () =>
      precheck!(
        {
          metadata: { name: "p" },
          deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true },
        },
        { name: "p", namespace: "ns" },
      ),
    /^.*Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set/,
  );
  await assert.rejects(
    evict({ dryRun: ["Some"] }, { dryRun: true }),
    /Non-matching dry-run options in request and content: \[All\] and \[Some\]/,
  );
  await assert.rejects(
    evict({ dryRun: ["Some"] }),
    /DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: \["Some"\]: supported values: "All"/,
  );
  assert.deepEqual(done, []);
  await assert.rejects(
    evict({ propagationPolicy: "Nope" }),
    /propagationPolicy: Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil"/,
  );
  await evict({ dryRun: ["All"] });
  assert.deepEqual(done, ["marked", "removed"]);
});

test("an eviction that means another pod leaves no mark; a version that was compared is not compared again after the mark", async () => {
  const eviction = pods.subresources.get("eviction")!;
  assert.ok(eviction.at === "connect");
  const { pod } = create(plain);
  Object.assign(at(pod, "metadata"), { uid: "u1", resourceVersion: "7" });
  const removed: unknown[] = [];
  const tools: ConnectTools = {
    ...untouched,
    overwrite: async (edit) => edit(pod),
    remove: async (options) => void removed.push([options.uid, options.resourceVersion]),
  };
  const evict = (preconditions: JsonObject): Promise<unknown> =>
    eviction.handle(
      pod,
      { metadata: { name: "p" }, deleteOptions: { preconditions } },
      context(),
      tools,
    );
  await assert.rejects(
    evict({ uid: "u2" }),
    /on Pod "p": the UID in the precondition \(u2\) does not match the UID in record \(u1\). The object might have been deleted and then recreated$/,
  );
  await assert.rejects(
    evict({ resourceVersion: "6" }),
    /on Pod "p": the ResourceVersion in the precondition \(6\) does not match the ResourceVersion in record \(7\). The object might have been modified$/,
  );
  assert.equal((pod["status"] as JsonObject)["conditions"], undefined);
  await evict({ uid: "u1", resourceVersion: "7" });
  assert.deepEqual(removed, [["u1", undefined]]);
  assert.equal(at(pod, "status", "conditions", 0)["type"], "DisruptionTarget");
});

test("terms of a gated pod's node affinity may only be added to; they are printed as Go prints them", () => {
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

test("two addresses are one of each family, which cannot be told of what is no address", () => {
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
