import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "homeostat/api";
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { printErrors, silentContext } from "../open-kind.suite.ts";
import { createBuiltinResources } from "../create-builtin-resources.ts";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";

const data = readKindData("1.36");
const resources = createBuiltinResources({ data, smdOf: () => deducedType });
const find = (name: string, version = "v1"): ServedResource =>
  resources.find((each) => each.resource === name && each.version === version)!;

const decoded = (resource: ServedResource, body: object): JsonObject =>
  resource.codec.decode(parseJson(JSON.stringify(body))).object;

interface Created {
  readonly object: JsonObject;
  readonly errors: string[];
  readonly warnings: readonly string[];
}

function create(name: string, body: object): Created {
  const resource = find(name);
  const object = decoded(resource, {
    ...body,
    metadata: { name: "w", namespace: "n", uid: "u1", ...(body as { metadata?: object }).metadata },
  });
  resource.strategy.prepareForCreate(object, silentContext());
  return {
    object,
    errors: printErrors(resource.strategy.validateCreate(object, silentContext())),
    warnings: resource.strategy.warningsOnCreate(object, silentContext()),
  };
}

const at = (object: JsonObject, ...path: readonly string[]): JsonObject =>
  path.reduce((value, field) => value[field] as JsonObject, object);
const podSpec = { containers: [{ name: "c", image: "app:1" }] };
const template = { metadata: { labels: { app: "w" } }, spec: podSpec };
const selector = { matchLabels: { app: "w" } };

test("a deployment is rolled by quarters and keeps ten revisions", () => {
  const { object, errors } = create("deployments", { spec: { selector, template } });
  assert.deepEqual(errors, []);
  assert.deepEqual(at(object, "spec", "strategy"), {
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
  });
  assert.deepEqual(
    [
      at(object, "spec")["replicas"],
      at(object, "spec")["revisionHistoryLimit"],
      at(object, "metadata")["generation"],
      object["status"],
    ],
    [1, 10, 1, {}],
  );
});

test("annotations raise the generation of deployments, not of replica sets", () => {
  for (const [name, generation] of [
    ["deployments", 2],
    ["replicasets", 1],
  ] as const) {
    const old = create(name, { spec: { selector, template } }).object;
    const next = structuredClone(old);
    at(next, "metadata")["annotations"] = { a: "b" };
    find(name).strategy.prepareForUpdate(next, old, silentContext());
    assert.equal(at(next, "metadata")["generation"], generation, name);
  }
});

test("a template must be chosen by its selector", () => {
  assert.deepEqual(create("deployments", { spec: { template } }).errors, [
    "spec.selector: Required value",
    'spec.template.metadata.labels: Invalid value: {"app":"w"}: `selector` does not match template `labels`',
  ]);
  assert.deepEqual(
    create("daemonsets", { spec: { selector: { matchLabels: { app: "x" } }, template } }).errors,
    [
      'spec.template.metadata.labels: Invalid value: {"app":"w"}: `selector` does not match template `labels`',
    ],
  );
  assert.deepEqual(
    create("replicasets", {
      spec: { selector: { matchExpressions: [{ key: "app", operator: "In" }] }, template },
    }).errors,
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}: invalid label selector',
    ],
  );
});

test("a rolling update must be able to go on", () => {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "0%" } };
  assert.deepEqual(create("deployments", { spec: { selector, template, strategy } }).errors, [
    "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
  ]);
  assert.deepEqual(
    create("deployments", { spec: { selector, template, strategy: { type: "Wild" } } }).errors,
    [
      'spec.strategy: Unsupported value: {"Type":"Wild","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  );
});

test("names that are no host names cause a warning", () => {
  const { warnings } = create("deployments", {
    metadata: { name: "a.b" },
    spec: { selector, template },
  });
  assert.deepEqual(warnings, [
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ]);
});

test("the template generation of a daemon set moves with its template", () => {
  const key = "deprecated.daemonset.template.generation";
  const old = create("daemonsets", { spec: { selector, template } }).object;
  assert.equal(at(old, "metadata", "annotations")[key], "1");
  const next = structuredClone(old);
  at(next, "spec", "template", "spec")["nodeName"] = "a";
  find("daemonsets").strategy.prepareForUpdate(next, old, silentContext());
  assert.deepEqual(
    [at(next, "metadata", "annotations")[key], at(next, "metadata")["generation"]],
    ["2", 2],
  );
});

test("claims of a stateful set stand in for volumes", () => {
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const mounted = {
    ...template,
    spec: {
      containers: [{ name: "c", image: "app", volumeMounts: [{ name: "data", mountPath: "/d" }] }],
    },
  };
  const { object, errors } = create("statefulsets", {
    spec: { selector, template: mounted, volumeClaimTemplates: [claim] },
  });
  assert.deepEqual(errors, []);
  const [stored] = at(object, "spec")["volumeClaimTemplates"] as JsonObject[];
  assert.deepEqual(
    [stored!["kind"], at(stored!, "spec")["volumeMode"], at(stored!, "status")["phase"]],
    ["PersistentVolumeClaim", "Filesystem", "Pending"],
  );
  const next = structuredClone(object);
  at(next, "spec")["serviceName"] = "s";
  assert.match(
    printErrors(find("statefulsets").strategy.validateUpdate(next, object, silentContext())).join(),
    /^spec: Forbidden: updates to statefulset spec for fields other than 'replicas'/,
  );
});

test("a replication controller takes selector and labels from its template", () => {
  const { object, errors } = create("replicationcontrollers", { spec: { template } });
  assert.deepEqual(
    [errors, at(object, "spec")["selector"], at(object, "metadata")["labels"]],
    [[], { app: "w" }, { app: "w" }],
  );
});

test("scaling reads and writes replicas", () => {
  const view = find("replicasets").subresources.get("scale")!;
  assert.ok(view.at === "scale");
  const { object } = create("replicasets", { spec: { selector, template, replicas: 3 } });
  const scale = view.scale.toScale(object);
  assert.deepEqual(
    [scale["spec"], scale["status"]],
    [{ replicas: 3 }, { replicas: 0, selector: "app=w" }],
  );
  view.scale.applyScale(object, { spec: { replicas: 5 } });
  assert.equal(at(object, "spec")["replicas"], 5);
  assert.throws(
    () => view.scale.applyScale(object, { spec: { replicas: -1 } }),
    /Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -1/,
  );
});

test("a job makes its own selector and labels", () => {
  const { object, errors } = create("jobs", {
    spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } },
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(at(object, "spec", "selector"), {
    matchLabels: { "batch.kubernetes.io/controller-uid": "u1" },
  });
  assert.deepEqual(
    [
      at(object, "metadata", "labels")["job-name"],
      at(object, "spec")["backoffLimit"],
      at(object, "spec")["podReplacementPolicy"],
    ],
    ["w", 6, "TerminatingOrFailed"],
  );
  assert.deepEqual(create("jobs", { spec: { template: { spec: podSpec } } }).errors, [
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ]);
});

test("a finished job stays finished, with its conditions in pairs", () => {
  const { object: old } = create("jobs", {
    spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } },
  });
  const next = {
    ...old,
    status: {
      conditions: [{ type: "Complete", status: "True" }],
      completionTime: "2026-01-01T00:00:00Z",
    },
  };
  const view = find("jobs").subresources.get("status")!;
  assert.ok(view.at === "store");
  assert.deepEqual(printErrors(view.strategy.validateUpdate(next, old, silentContext())), [
    "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    "status.startTime: Required value: startTime is required for finished job",
  ]);
});

test("schedules and time zones of cron jobs are read as upstream's library reads them", () => {
  const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } };
  const faults: readonly (readonly [spec: object, error: string | undefined])[] = [
    [{ schedule: "@daily" }, undefined],
    [{ schedule: "*/5 1-3 * jan,mar sun" }, undefined],
    [
      { schedule: "0 25 * * *" },
      'spec.schedule: Invalid value: "0 25 * * *": end of range (25) above maximum (23): 25',
    ],
    [
      { schedule: "x * * * *" },
      'spec.schedule: Invalid value: "x * * * *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    ],
    [
      { schedule: "1-2-3 * * * *" },
      'spec.schedule: Invalid value: "1-2-3 * * * *": too many hyphens: 1-2-3',
    ],
    [
      { schedule: "@often" },
      'spec.schedule: Invalid value: "@often": unrecognized descriptor: @often',
    ],
    [{ schedule: "@daily", timeZone: "Europe/Berlin" }, undefined],
    [
      { schedule: "@daily", timeZone: "europe/berlin" },
      'spec.timeZone: Invalid value: "europe/berlin": unknown time zone europe/berlin',
    ],
    [
      { schedule: "@daily", timeZone: "Local" },
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ];
  for (const [spec, error] of faults)
    assert.deepEqual(
      create("cronjobs", { spec: { ...spec, jobTemplate } }).errors,
      error === undefined ? [] : [error],
    );
});

test("an autoscaler's metrics and behavior go through v1 and back", () => {
  const v1 = find("horizontalpodautoscalers", "v1");
  const v2 = find("horizontalpodautoscalers", "v2");
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const stored = decoded(v2, {
    metadata: { name: "h" },
    spec: {
      scaleTargetRef: target,
      maxReplicas: 3,
      behavior: { scaleDown: { selectPolicy: "Disabled" } },
      metrics: [
        {
          type: "Pods",
          pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } },
        },
      ],
    },
  });
  const shown = v1.codec.fromStorage(structuredClone(stored));
  const annotations = at(shown, "metadata", "annotations");
  assert.equal(
    annotations["autoscaling.alpha.kubernetes.io/metrics"],
    '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5"}}]',
  );
  assert.match(
    String(annotations["autoscaling.alpha.kubernetes.io/behavior"]),
    /^\{"ScaleUp":\{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":\[\{"Type":"Pods","Value":4,"PeriodSeconds":15\}/,
  );
  assert.deepEqual(at(v1.codec.toStorage(shown), "spec"), at(stored, "spec"));
  assert.equal(
    at(
      decoded(v1, { metadata: { name: "h" }, spec: { scaleTargetRef: target, maxReplicas: 3 } }),
      "spec",
    )["targetCPUUtilizationPercentage"],
    80,
  );
});

test("a daemon set whose template generation is no number cannot be read", () => {
  const annotated = (text: string): object => ({
    metadata: { name: "d", annotations: { "deprecated.daemonset.template.generation": text } },
    spec: { selector, template },
  });
  assert.throws(
    () => create("daemonsets", annotated("x")),
    /cannot be handled as a DaemonSet: strconv\.ParseInt: parsing "x": invalid syntax/,
  );
  assert.throws(() => create("daemonsets", annotated("9223372036854775808")), /value out of range/);
});

test("a daemon set that is rolled by hand keeps its amounts, both of them", () => {
  const { object } = create("daemonsets", {
    spec: {
      selector,
      template,
      updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: 1 } },
    },
  });
  assert.deepEqual((object["spec"] as JsonObject)["updateStrategy"], {
    type: "OnDelete",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  });
});

test("rules that an annotation carries have no default policies, and its conditions have a time even without one", () => {
  const v1 = find("horizontalpodautoscalers", "v1");
  const annotations = {
    "autoscaling.alpha.kubernetes.io/behavior": '{"ScaleUp":{"SelectPolicy":"Max"}}',
  };
  const stored = v1.codec.toStorage(
    decoded(v1, {
      metadata: { name: "h", annotations },
      spec: {
        maxReplicas: 1,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      },
    }),
  );
  assert.deepEqual(printErrors(v1.strategy.validateCreate(stored, silentContext())), [
    "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
  ]);
  const shown = v1.codec.fromStorage({
    ...stored,
    status: { conditions: [{ type: "AbleToScale", status: "True", reason: "R" }] },
  });
  assert.equal(
    at(shown, "metadata", "annotations")["autoscaling.alpha.kubernetes.io/conditions"],
    '[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"R"}]',
  );
});
