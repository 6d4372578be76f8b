import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { openKind } from "../open-kind.suite.ts";

const group = "admissionregistration.k8s.io";
const metadata = { name: "a" };
const matchConstraints = {
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
  ],
};
const policies = openKind(group, "validatingadmissionpolicies");

const errorsOf = (spec: object): readonly string[] =>
  policies.create({ metadata, spec: { matchConstraints, ...spec } }).errors;
const inValidation = (expression: string): readonly string[] =>
  errorsOf({ validations: [{ expression }] });

test("a validation evaluates to a bool, over admission's variables", () => {
  for (const expression of [
    "object.spec.replicas > 1",
    "request.operation == 'CREATE'",
    "namespaceObject.metadata.name == 'a'",
    "authorizer.requestResource.check('get').allowed()",
  ])
    assert.deepEqual(inValidation(expression), []);
  const path = "spec.validations[0].expression: Invalid value";
  assert.deepEqual(inValidation("1"), [`${path}: "1": must evaluate to bool but got int`]);
  assert.match(
    inValidation("request.foo == 1")[0]!,
    /compilation failed: ERROR: <input>:1:8: undefined field 'foo'/,
  );
  assert.match(inValidation("params.x == 1")[0]!, /undeclared reference to 'params'/);
  assert.match(inValidation("variables.x == 1")[0]!, /undeclared reference to 'variables'/);
  assert.deepEqual(
    errorsOf({
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "params.x == 1" }],
    }),
    [],
  );
});

test("message expressions are strings without authorizer, annotations strings or null", () => {
  const message = (messageExpression: string): readonly string[] =>
    errorsOf({ validations: [{ expression: "true", messageExpression }] });
  assert.deepEqual(message("'a' + request.name"), []);
  assert.match(
    message("authorizer.path('/x')")[0]!,
    /messageExpression: .*undeclared reference to 'authorizer'/s,
  );
  const annotation = (valueExpression: string): readonly string[] =>
    errorsOf({ auditAnnotations: [{ key: "k", valueExpression }] });
  for (const fine of ["'a'", "null"]) assert.deepEqual(annotation(fine), []);
  assert.deepEqual(annotation("1"), [
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
  ]);
  assert.match(
    errorsOf({ auditAnnotations: [{ key: "x y", valueExpression: "'a'" }] })[0]!,
    /^spec.auditAnnotations\[0\].key: Invalid value: "a\/x y"/,
  );
});

test("a variable is known to those after it, with its type", () => {
  const variables = [
    { name: "early", expression: "variables.late" },
    { name: "late", expression: "[1, 2]" },
    { name: "in", expression: "1" },
  ];
  const errors = errorsOf({ variables, validations: [{ expression: "variables.late == 'x'" }] });
  assert.equal(errors.length, 3);
  assert.match(errors[0]!, /variables\[0\].expression: .*undefined field 'late'/s);
  assert.equal(
    errors[1],
    'spec.variables[2].name: Invalid value: "in": must be a valid CEL identifier',
  );
  assert.match(
    errors[2]!,
    /found no matching overload for '_==_' applied to '\(list\(int\), string\)'/,
  );
});

test("mutations build objects or patches", () => {
  const policy = openKind(group, "mutatingadmissionpolicies");
  const tried = (mutation: JsonObject): readonly string[] =>
    policy.create({
      metadata,
      spec: { matchConstraints, reinvocationPolicy: "Never", mutations: [mutation] },
    }).errors;
  const patch = (expression: string): readonly string[] =>
    tried({ patchType: "JSONPatch", jsonPatch: { expression } });
  const apply = (expression: string): readonly string[] =>
    tried({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
  assert.deepEqual(
    patch('[JSONPatch{op: "add", path: "/" + jsonpatch.escapeKey("a/b"), value: 1}]'),
    [],
  );
  assert.match(patch("[1]")[0]!, /must evaluate to list\(JSONPatch\) but got list\(int\)/);
  assert.deepEqual(apply("Object{spec: Object.spec{replicas: 1}}"), []);
  assert.match(apply("Object.spec{}")[0]!, /must evaluate to Object but got Object.spec/);
});

test("match conditions are compiled, but those of a stored object as they are", () => {
  const webhooks = (expression: string): JsonObject => ({
    metadata: { ...metadata, resourceVersion: "1" },
    webhooks: [
      {
        name: "a.b.c",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig: { url: "https://x.test" },
        matchConditions: [{ name: "m", expression }],
      },
    ],
  });
  const kind = openKind(group, "validatingwebhookconfigurations");
  const { object, errors } = kind.create(webhooks("object.x"));
  assert.deepEqual(errors, [
    'webhooks[0].matchConditions[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn',
  ]);
  assert.deepEqual(kind.update(object, webhooks("object.x")).errors, []);
  assert.equal(kind.update(object, webhooks("object.y")).errors.length, 1);
});
