import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { createAccessCheck } from "./access-checks.ts";
import { createExpressionCompiler } from "./compile-expressions.ts";
import { evaluateExpressions } from "./evaluate-expressions.ts";
import type { ExpressionInput } from "./expression-variables.ts";
import { createConditionMatcher, createWebhookConditions } from "./match-conditions.ts";

const kind = { group: "", version: "v1", kind: "ConfigMap" };
const resource = { group: "", version: "v1", resource: "configmaps" };
const request: AdmissionRequest = {
  operation: "CREATE",
  resource: { ...kind, ...resource, subresources: new Map() } as unknown as ServedResource,
  subresource: "",
  kind,
  namespace: "default",
  name: "a",
  object: undefined,
  old: undefined,
  user: { name: "bob", groups: ["system:authenticated"] },
  dryRun: true,
  options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
  warn: () => undefined,
};

const inputOf = (object: JsonObject): ExpressionInput => ({
  versioned: { request, kind, resource, object, old: undefined },
  resource,
  params: undefined,
  namespace: undefined,
  access: createAccessCheck(
    ({ user, info }) => ({ allowed: user.name === "bob" && info.verb === "get", reason: "r" }),
    request.user,
  ),
});

const conditions = (...expressions: readonly string[]) =>
  expressions.map((expression, i) => ({ name: `c${i}`, expression }));

test("all conditions must be true; a false one outweighs errors", () => {
  const input = inputOf({ data: { a: "1" } });
  const match = (policy: string, ...expressions: readonly string[]) =>
    createWebhookConditions(conditions(...expressions), policy)(input);
  assert.deepEqual(match("Fail", "true", "object.data.a == '1'"), { matches: true });
  assert.deepEqual(match("Fail", "object.x == 1", "false"), { matches: false, failed: "c1" });
  assert.deepEqual(match("Fail", "object.x == 1", "true"), {
    error: "expression 'object.x == 1' resulted in error: no such key: x",
  });
  assert.deepEqual(match("Fail", "object.x == 1", "1 / 0 == 1"), {
    error:
      "[expression 'object.x == 1' resulted in error: no such key: x, expression '1 / 0 == 1' resulted in error: division by zero]",
  });
  assert.deepEqual(match("Ignore", "object.x == 1"), { matches: false });
});

test("conditions see the request, its user and the authorizer, but no namespace", () => {
  const match = createWebhookConditions(
    conditions(
      "request.operation == 'CREATE' && request.dryRun && request.kind.kind == 'ConfigMap'",
      "request.userInfo.username == 'bob' && !has(request.subResource) && oldObject == null",
      "request.options.kind == 'CreateOptions' && namespaceObject == null",
      "authorizer.requestResource.check('get').allowed()",
      "!authorizer.requestResource.check('delete').allowed()",
      "!authorizer.serviceAccount('default', 'a').path('/x').check('get').allowed()",
    ),
    "Fail",
  );
  assert.deepEqual(match(inputOf({})), { matches: true });
});

test("variables are evaluated once, when they are read, and their failures stay", () => {
  const compiler = createExpressionCompiler({
    params: "none",
    variables: [
      { name: "bad", expression: "object.nothing" },
      { name: "names", expression: "object.names" },
      { name: "size", expression: "variables.names.size()" },
    ],
  });
  const run = evaluateExpressions(
    [
      compiler.compile("variables.size == 2", "condition"),
      undefined,
      compiler.compile("variables.bad == 1", "condition"),
      compiler.compile("variables.bad == 1 || true", "condition"),
    ],
    inputOf({ names: ["a", "b"] }),
    compiler.variables,
    100,
  );
  assert.ok("results" in run);
  assert.deepEqual(run.results, [
    { value: true },
    undefined,
    {
      error:
        "expression 'variables.bad == 1' resulted in error: composited variable \"bad\" fails to evaluate: no such key: nothing",
    },
    { value: true },
  ]);
});

test("expressions and the variables that they read share a budget", () => {
  const compiler = createExpressionCompiler({
    params: "none",
    variables: [{ name: "long", expression: "object.names.map(x, x + x)" }],
  });
  const spend = (budget: number) =>
    evaluateExpressions(
      [compiler.compile("variables.long.size() > 0", "condition")],
      inputOf({ names: Array.from({ length: 100 }, () => "a") }),
      compiler.variables,
      budget,
    );
  assert.ok("results" in spend(10_000));
  assert.deepEqual(spend(100), {
    fault:
      "validation failed due to running out of cost budget, no further validation rules will be run",
  });
});

test("an expression may cost a million units", () => {
  const nested = "object.names.all(a, object.names.all(b, object.names.all(c, a + b != c)))";
  const match = createConditionMatcher(
    conditions(nested),
    "Fail",
    createExpressionCompiler({ params: "none" }),
  );
  const names = Array.from({ length: 100 }, (_, i) => `name${i}`);
  assert.deepEqual(match(inputOf({ names })), {
    error: `expression '${nested}' resulted in error: operation cancelled: actual cost limit exceeded`,
  });
});
