import assert from "node:assert/strict";
import { test } from "node:test";
import { createLifecycle } from "./lifecycle.ts";
import { parseFieldPath } from "./field-path.ts";
import { parseGoTemplate } from "./go-template.ts";
import { podStages } from "../kubelet/pod-stages.ts";
import { parseStages, readStages } from "./parse-stages.ts";
import type { Stage } from "./stage.ts";
import { isApplied, stageWrites } from "./stage-effect.ts";
import { stageFunctionNames, stageFunctions, type StageEnvironment } from "./stage-functions.ts";

const environment: StageEnvironment = {
  now: Date.parse("2024-01-01T00:00:00Z"),
  nodeIp: () => "192.168.0.1",
  podIp: () => "10.244.0.1",
  nodeName: "n",
  nodeConditions: () => [],
};

test("paths find fields, items and selected items", () => {
  const object = {
    a: {
      "b/c": 1,
      list: [
        { type: "Ready", status: "True" },
        { type: "Other", status: "False" },
      ],
    },
    nothing: null,
  };
  const find = (path: string): readonly unknown[] => parseFieldPath(path)(object);
  assert.deepEqual(find('.a["b/c"]'), [1]);
  assert.deepEqual(find(".a.list[].status"), ["True", "False"]);
  assert.deepEqual(find(".a.list.[1].status"), ["False"]);
  assert.deepEqual(find('.a.list.[] | select( .type == "Ready" ) | .status'), ["True"]);
  assert.deepEqual(find(".a.missing.deeper[].x"), []);
  assert.deepEqual(find(".nothing"), []);
  assert.throws(() => find(".a | length"), /a path like .* was expected, got "\.a \| length"/);
  assert.throws(() => find("a.b"), /was expected/);
  assert.throws(() => find(".a.1x!"), /invalid from/);
});

const stageOf = (name: string, more: Partial<Stage> = {}): Stage => ({
  name,
  for: { apiVersion: "v1", kind: "Pod" },
  ...more,
});

test("stages match labels, annotations and fields", () => {
  const lifecycle = createLifecycle([
    stageOf("all"),
    stageOf("labelled", { when: { labels: { app: "a" }, annotations: { note: "n" } } }),
    stageOf("in", {
      when: { fields: [{ path: ".status.phase", operator: "In", values: ["Running"] }] },
    }),
    stageOf("not in", {
      when: { fields: [{ path: ".status.phase", operator: "NotIn", values: ["Running"] }] },
    }),
    stageOf("owned", {
      when: {
        fields: [{ path: ".metadata.ownerReferences[].kind", operator: "In", values: ["Job"] }],
      },
    }),
  ]);
  const names = (object: object): readonly string[] =>
    lifecycle.matching(object as never).map(({ name }) => name);
  assert.deepEqual(names({ metadata: {} }), ["all", "not in"]);
  assert.deepEqual(
    names({
      metadata: {
        labels: { app: "a" },
        annotations: { note: "n" },
        ownerReferences: [{ kind: "Job" }],
      },
      status: { phase: "Running" },
    }),
    ["all", "labelled", "in", "owned"],
  );
});

test("one of several stages is picked by weight, which an annotation can override", () => {
  const stages = [
    stageOf("rare"),
    stageOf("often", { weight: 3 }),
    stageOf("annotated", { weight: 0, weightFrom: ".metadata.annotations.weight" }),
  ];
  const lifecycle = createLifecycle(stages);
  const pick = (chance: number, annotations: Record<string, string> = {}): string | undefined =>
    lifecycle.pick(stages, { metadata: { annotations } }, chance)?.name;
  assert.deepEqual(
    [pick(0), pick(0.24), pick(0.26), pick(0.99)],
    ["rare", "rare", "often", "often"],
  );
  assert.equal(pick(0.5, { weight: "100" }), "annotated");
});

test("delays have jitter, sources and back-off", () => {
  const delay = (
    after: NonNullable<Stage["after"]>,
    object: object = { metadata: {} },
    chance = 0.5,
  ): number => {
    const stage = stageOf("s", { after });
    return createLifecycle([stage]).delayMs(stage, object as never, {
      now: environment.now,
      chance,
    });
  };
  assert.equal(delay({ ms: 1000, jitterToMs: 3000 }), 2000);
  assert.equal(delay({ ms: 1000, jitterToMs: 10 }), 10);
  const deleted = { metadata: { deletionTimestamp: "2024-01-01T00:00:30Z" } };
  assert.equal(delay({ ms: 1000, from: ".metadata.deletionTimestamp" }, deleted), 30_000);
  const annotated = { metadata: { annotations: { delay: "5s" } } };
  assert.equal(delay({ ms: 1000, from: ".metadata.annotations.delay" }, annotated), 5000);
  const grown = (n: number): number =>
    delay({ ms: 10, backOff: { count: ".status.n", maxMs: 60 } }, { metadata: {}, status: { n } });
  assert.deepEqual([grown(3), grown(9)], [40, 60]);
});

test("templates are Go's", () => {
  const render = (text: string, data: object = {}): string =>
    parseGoTemplate(text, stageFunctionNames).render(data, stageFunctions(environment));
  const data = {
    spec: { containers: [{ name: "a" }, { name: "b", restartPolicy: "Always" }] },
    metadata: { annotations: { "x/y": "z" } },
  };
  const rendered = {
    "{{ $now := Now }}{{ $now | Quote }}": '"2024-01-01T00:00:00Z"',
    "{{ range $i, $c := .spec.containers }}{{ $i }}={{ $c.name }};{{ end }}": "0=a;1=b;",
    '{{ range .spec.containers }}{{ if eq .restartPolicy "Always" }}+{{ .name }}{{ else }}-{{ .name }}{{ end }}{{ end }}':
      "-a+b",
    '{{ with .spec.missing }}x{{ else }}none{{ end }} {{ index .metadata.annotations "x/y" }} {{ or .nothing (index .spec.containers 0).name }}':
      "none z a",
    "a  {{- /* gone */ -}}  b {{- 1 }}": "ab1",
    '{{ printf "%s-%d" "a" 3 }} {{ not true }} {{ len .spec.containers }}': "a-3 false 2",
    "{{ $x := 1 }}{{ range .spec.containers }}{{ $x = .name }}{{ end }}{{ $x }}": "b",
  };
  for (const [template, text] of Object.entries(rendered))
    assert.equal(render(template, data), text, template);
  assert.throws(() => render("{{ frobnicate .a }}"), /function "frobnicate" not defined/);
  assert.throws(() => render("{{ if .a }}"), /expected before the end/);
  assert.throws(() => render("x {{ .a "), /unclosed action/);
});

test("an effect is converted to patches", () => {
  const target = {
    object: { metadata: { finalizers: ["a", "b"] } },
    environment,
    statusType: "merge" as const,
  };
  assert.deepEqual(
    stageWrites({ status: { phase: "Up" }, finalizers: { add: ["c"], remove: ["a"] } }, target),
    [
      { type: "merge", subresource: "status", body: { status: { phase: "Up" } } },
      { type: "merge", body: { metadata: { finalizers: ["b", "c"] } } },
    ],
  );
  assert.deepEqual(stageWrites({ finalizers: { add: ["a"] } }, target), []);
  assert.deepEqual(
    stageWrites(
      {
        patches: [
          { type: "json", template: "- {op: remove, path: /spec/x}" },
          { type: "merge", root: "spec", template: "x: {{ NodeName }}" },
        ],
      },
      target,
    ),
    [
      { type: "json", body: [{ op: "remove", path: "/spec/x" }] },
      { type: "merge", body: { spec: { x: "n" } } },
    ],
  );
});

test("a patch without effect is detected", () => {
  const object = {
    status: {
      conditions: [
        { type: "A", status: "True" },
        { type: "B", status: "False" },
      ],
      list: [{ n: 1 }],
    },
  };
  assert.ok(
    isApplied(object, {
      status: {
        conditions: [{ type: "B", status: "False", message: null }],
        list: [{ n: 1, ready: false }],
      },
    }),
  );
  assert.ok(!isApplied(object, { status: { conditions: [{ type: "B", status: "True" }] } }));
  assert.ok(!isApplied(object, { status: { list: [] } }));
});

const own = `
name: slow
for: {kind: Pod}
when: {labels: {app: db}, fields: [{path: .status.phase, operator: In, values: [Pending]}]}
after: {ms: 2000, jitterToMs: 4000}
next:
  pod: {act: start}
  event: {reason: Slow, message: at last}
`;

test("files contain our stages and KWOK's", () => {
  const kwok = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: up}
spec:
  resourceRef: {apiGroup: example.com/v1, kind: Site}
  selector:
    matchLabels: {a: b}
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
    - jq: {expression: .spec.on, operator: In, values: ["true"]}
  weight: 2
  delay: {durationMilliseconds: 5, jitterDurationFrom: {expressionFrom: '.metadata.annotations["j"]'}}
  next:
    statusTemplate: "up: {{ Now }}"
    finalizers: {add: [{value: x}]}
    delete: false
`;
  const [slow, up] = parseStages(`${own}---${kwok}`);
  assert.deepEqual(slow, {
    name: "slow",
    for: { apiVersion: "v1", kind: "Pod" },
    when: {
      labels: { app: "db" },
      fields: [{ path: ".status.phase", operator: "In", values: ["Pending"] }],
    },
    after: { ms: 2000, jitterToMs: 4000 },
    next: { pod: { act: "start" }, event: { type: "Normal", reason: "Slow", message: "at last" } },
  });
  assert.deepEqual(up, {
    name: "up",
    for: { apiVersion: "example.com/v1", kind: "Site" },
    when: {
      labels: { a: "b" },
      fields: [
        { path: ".metadata.deletionTimestamp", operator: "DoesNotExist" },
        { path: ".spec.on", operator: "In", values: ["true"] },
      ],
    },
    after: { ms: 5, jitterFrom: '.metadata.annotations["j"]' },
    weight: 2,
    replacesBuiltIn: true,
    next: { statusTemplate: "up: {{ Now }}", finalizers: { add: ["x"] } },
  });
});

test("the built-in stages are valid as a program passes them", () =>
  assert.deepEqual(readStages(podStages), podStages));

test("errors name the stage and the field", () => {
  const fault = (text: string, message: RegExp): void =>
    assert.throws(() => parseStages(text), { code: "ERR_SERVER_STAGE", message });
  fault(
    own.replace("ms: 2000", "seconds: 2"),
    /^read stage "slow": after\.seconds: not supported; supported are ms, from/,
  );
  fault(
    own.replace("act: start", "act: fly"),
    /next\.pod\.act: one of create, initialize, .* was expected, got "fly"/,
  );
  fault(own.replace(".status.phase", ".status | keys"), /stage "slow": path: a path like/);
  fault(`${own}---${own}`, /stage "slow": the name is taken by another stage/);
  fault(
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}",
    /apiVersion kwok\.x-k8s\.io\/v1alpha1 and kind Stage were expected/,
  );
  const kwok = (spec: string): string =>
    `{apiVersion: kwok.x-k8s.io/v1alpha1, kind: Stage, metadata: {name: k}, spec: {resourceRef: {kind: Pod}, ${spec}}}`;
  fault(
    kwok("selector: {matchExpressions: [{cel: {expression: 'true'}}]}"),
    /spec\.selector\.matchExpressions\[0\]\.cel: not supported/,
  );
  fault(kwok("next: {statusPatchAs: {username: u}}"), /spec\.next\.statusPatchAs: not supported/);
  fault(
    kwok("next: {statusTemplate: '{{ env \"HOME\" }}'}"),
    /stage "k": template: function "env" not defined/,
  );
  fault("- 3", /an object was expected, got 3/);
  fault("{", /./);
  for (const text of ["", "# none\n---\n", "[]", "items: []"])
    fault(text, /^read stages: expected at least one stage, got none$/);
});
