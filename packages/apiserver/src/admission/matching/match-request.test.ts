// Which requests rules and selectors are about, and for which version.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Decoded, JsonObject } from "homeostat/api";
import type { NamedRuleWithOperations } from "homeostat/k8s/admissionregistration/v1";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import { matchPolicy, type MatchServices, matchWebhook } from "./match-request.ts";
import { isExemptConfiguration } from "./rules.ts";
import { parseSelectors } from "./selectors.ts";
import { convertObject } from "./versioned-objects.ts";

type Rule = Decoded<NamedRuleWithOperations>;

function served(group: string, version: string, resource: string, kind: string): ServedResource {
  const scale = { at: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" } };
  const subresources = version === "v1beta1" ? [] : [["scale", scale] as const];
  return {
    group,
    version,
    resource,
    kind,
    storageKey: `${group}/${resource}`,
    subresources: new Map(subresources as never as readonly [string, Subresource][]),
    codec: {
      toStorage: (object: JsonObject) => ({ ...object, via: version }),
      fromStorage: (object: JsonObject) => ({ ...object, apiVersion: `${group}/${version}` }),
    },
  } as never;
}

const v1 = served("trains.dev", "v1", "trains", "Train");
const v1beta1 = served("trains.dev", "v1beta1", "trains", "Train");
const v2 = served("trains.dev", "v2", "trains", "Train");
const namespaces = served("", "v1", "namespaces", "Namespace");
const nodes = served("", "v1", "nodes", "Node");
const all = [v1, v1beta1, v2, namespaces, nodes];

const services: MatchServices = {
  catalog: { find: () => undefined, all: () => all, epoch: 0 },
  objects: {
    serves: () => true,
    find: (_, name) =>
      name === "gone" ? undefined : { metadata: { name, labels: { team: name } } },
    isEmpty: () => true,
    list: () => [],
    read: async () => undefined,
    readAll: async () => [],
    watch: () => () => undefined,
  },
};

const request = (fields: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: "CREATE",
  resource: v1,
  subresource: "",
  kind: v1,
  namespace: "home",
  name: "fast",
  object: { metadata: { name: "fast" } },
  old: undefined,
  user: { name: "ann", groups: [] },
  dryRun: false,
  options: {},
  warn() {},
  ...fields,
});

const rule = (fields: Rule = {}): Rule => ({
  operations: ["*"],
  apiGroups: ["trains.dev"],
  apiVersions: ["v1"],
  resources: ["trains"],
  scope: "*",
  ...fields,
});

interface Wanted {
  readonly rules?: readonly Rule[];
  readonly matchPolicy?: string;
  readonly namespaceSelector?: JsonObject | null;
  readonly objectSelector?: JsonObject | null;
}

function webhook(wanted: Wanted, fields: Partial<AdmissionRequest> = {}): string | undefined {
  const { rules = [rule()], matchPolicy: policy = "Exact" } = wanted;
  const selectors = parseSelectors({ namespaceSelector: {}, objectSelector: {}, ...wanted });
  const found = matchWebhook(
    { rules, matchPolicy: policy, ...selectors },
    request(fields),
    services,
  );
  return found?.version;
}

const byRule = (fields: Rule, asked: Partial<AdmissionRequest> = {}): boolean =>
  webhook({ rules: [rule(fields)] }, asked) !== undefined;

describe("a rule", () => {
  test("names operations, groups, versions and resources, or any", () => {
    assert.equal(byRule({}), true);
    assert.equal(byRule({ operations: ["CREATE", "UPDATE"] }), true);
    assert.equal(byRule({ operations: ["UPDATE"] }), false);
    assert.equal(byRule({ apiGroups: ["*"] }), true);
    assert.equal(byRule({ apiGroups: [""] }), false);
    assert.equal(byRule({ apiVersions: ["*"] }), true);
    assert.equal(byRule({ apiVersions: ["v2"] }), false);
    assert.equal(byRule({ resources: ["planes", "trains"] }), true);
    assert.equal(byRule({ resources: ["planes"] }), false);
    assert.equal(byRule({ operations: null }), false);
  });

  test("is about the resource or its subresources", () => {
    const scale = { subresource: "scale" };
    for (const [resources, plain, sub] of [
      [["trains"], true, false],
      [["trains/scale"], false, true],
      [["trains/*"], true, true],
      [["*"], true, false],
      [["*/scale"], false, true],
      [["*/*"], true, true],
      [["trains/status"], false, false],
    ] as const) {
      assert.equal(byRule({ resources: [...resources] }), plain, `${resources}`);
      assert.equal(byRule({ resources: [...resources] }, scale), sub, `${resources} of scale`);
    }
  });

  test("has a scope; namespaces are cluster-scoped", () => {
    const core = { apiGroups: [""], resources: ["*"] };
    const namespace = { resource: namespaces, namespace: "home" };
    const node = { resource: nodes, namespace: "" };
    assert.equal(byRule({ scope: "Namespaced" }), true);
    assert.equal(byRule({ scope: "Cluster" }), false);
    assert.equal(byRule({ ...core, scope: "Namespaced" }, namespace), false);
    assert.equal(byRule({ ...core, scope: "Cluster" }, namespace), true);
    assert.equal(byRule({ ...core, scope: "Namespaced" }, node), false);
    assert.equal(byRule({ ...core, scope: "Cluster" }, node), true);
  });
});

describe("equivalent versions", () => {
  const rules = [rule({ apiVersions: ["v1beta1"] }), rule({ apiVersions: ["v2"] })];

  test("are matched in the order of the rules, after the version of the request", () => {
    assert.equal(webhook({ rules, matchPolicy: "Exact" }), undefined);
    assert.equal(webhook({ rules, matchPolicy: "Equivalent" }), "v1beta1");
    assert.equal(webhook({ rules, matchPolicy: "Equivalent" }, { resource: v2 }), "v2");
  });

  test("must have the subresource", () => {
    const scaled = rules.map((each) => ({ ...each, resources: ["*/*"] }));
    const asked = { subresource: "scale" };
    assert.equal(webhook({ rules: scaled, matchPolicy: "Equivalent" }, asked), "v2");
  });

  test("get converted objects; objects of other kinds stay", () => {
    const train = { apiVersion: "trains.dev/v1", kind: "Train" };
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale" };
    assert.deepEqual(convertObject(train, v1, v2), {
      apiVersion: "trains.dev/v2",
      kind: "Train",
      via: "v1",
    });
    assert.equal(convertObject(scale, v1, v2), scale);
    assert.equal(convertObject(train, v1, v1), train);
  });
});

describe("selectors", () => {
  const home = { matchLabels: { team: "home" } };
  const unlabeled = { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] };
  const labeled = { metadata: { labels: { team: "home" } } };

  test("select by the labels of the namespace", () => {
    assert.equal(webhook({ namespaceSelector: home }), "v1");
    assert.equal(webhook({ namespaceSelector: home }, { namespace: "away" }), undefined);
    assert.equal(webhook({ namespaceSelector: home }, { namespace: "" }), "v1");
    assert.equal(webhook({ namespaceSelector: null }), undefined);
    const asked = { resource: namespaces, namespace: "away", object: labeled };
    const rules = [rule({ apiGroups: [""], resources: ["*"] })];
    const of = (fields: Partial<AdmissionRequest>): string | undefined =>
      webhook({ rules, namespaceSelector: home }, { ...asked, ...fields });
    assert.equal(of({}), "v1");
    assert.equal(of({ operation: "DELETE", object: undefined }), undefined);
    assert.equal(of({ subresource: "finalize" }), undefined);
  });

  test("of a namespace that does not exist fail what the rules match", () => {
    const asked = { namespace: "gone" };
    assert.throws(() => webhook({ namespaceSelector: home }, asked), {
      message: 'namespaces "gone" not found',
    });
    assert.equal(webhook({ namespaceSelector: home, rules: [] }, asked), undefined);
    assert.equal(webhook({ namespaceSelector: home, objectSelector: home }, asked), undefined);
    assert.equal(webhook({}, asked), "v1");
  });

  test("select by the labels of the new or the old object", () => {
    assert.equal(webhook({ objectSelector: home }), undefined);
    assert.equal(webhook({ objectSelector: home }, { object: labeled }), "v1");
    assert.equal(webhook({ objectSelector: home }, { old: labeled }), "v1");
    assert.equal(webhook({ objectSelector: unlabeled }), "v1");
    assert.equal(webhook({ objectSelector: unlabeled }, { object: { stdin: true } }), undefined);
  });

  test("that are not valid fail what the rules match", () => {
    const objectSelector = { matchLabels: { "": "x" } };
    assert.throws(() => webhook({ objectSelector }), /Internal error occurred/);
    assert.equal(webhook({ objectSelector, rules: [] }), undefined);
  });
});

describe("a policy", () => {
  const policy = (match: JsonObject, fields: Partial<AdmissionRequest> = {}): string | undefined =>
    matchPolicy(
      { match: match as never, ...parseSelectors({ namespaceSelector: {}, objectSelector: {} }) },
      request(fields),
      services,
    )?.version;

  test("matches everything without rules, and names in rules", () => {
    assert.equal(policy({}), "v1");
    assert.equal(policy({ resourceRules: [rule()] } as never), "v1");
    assert.equal(policy({ resourceRules: [rule({ resourceNames: ["fast"] })] } as never), "v1");
    assert.equal(policy({ resourceRules: [rule({ resourceNames: ["x"] })] } as never), undefined);
  });

  test("does not match what it excludes, in any version if it is Equivalent", () => {
    const excludeResourceRules = [rule({ apiVersions: ["v2"] })];
    const excluding = { excludeResourceRules, resourceRules: [rule()] } as never as JsonObject;
    assert.equal(policy({ ...excluding, matchPolicy: "Exact" }), "v1");
    assert.equal(policy({ ...excluding, matchPolicy: "Equivalent" }), undefined);
  });
});

test("the configuration of admission is exempt", () => {
  const group = "admissionregistration.k8s.io";
  const isExempt = (kind: string): boolean =>
    isExemptConfiguration({ kind: { group, version: "v1", kind } });
  assert.equal(isExempt("MutatingWebhookConfiguration"), true);
  assert.equal(isExempt("ValidatingAdmissionPolicyBinding"), true);
  assert.equal(isExempt("Other"), false);
  assert.equal(
    isExemptConfiguration({ kind: { ...v1, kind: "ValidatingAdmissionPolicy" } }),
    false,
  );
});
