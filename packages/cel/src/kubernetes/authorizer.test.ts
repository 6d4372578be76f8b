import assert from "node:assert/strict";
import { withVariables } from "../environment/environment.ts";
import { kubernetesEnvironment } from "./kubernetes-environment.ts";
import { compileExpression } from "../program.ts";
import { describeExpressions } from "../testing/expressions.suite.ts";
import { showValue } from "../values/value.ts";
import {
  type AccessQuery,
  authorizerType,
  createAuthorizer,
  createResourceAuthorizer,
  resourceCheckType,
} from "./authorizer.ts";

const environment = withVariables(
  kubernetesEnvironment(),
  new Map([
    ["authorizer", authorizerType],
    ["authorizer.requestResource", resourceCheckType],
  ]),
);

/**
 * Runs an expression with an AccessCheck whose reason is the query as JSON.
 */
function run(text: string): string {
  const compiled = compileExpression(text, environment);
  assert.ok("program" in compiled, JSON.stringify(compiled));
  const check = (query: AccessQuery) => ({
    allowed: query.verb === "get",
    reason: Object.values(query)
      .filter((part) => typeof part === "string" && part !== "")
      .join("/"),
    ...(query.verb === "fail" ? { error: "broken" } : {}),
  });
  const result = compiled.program.evaluate({
    authorizer: createAuthorizer(check),
    "authorizer.requestResource": createResourceAuthorizer(check, {
      group: "apps",
      resource: "deployments",
      subresource: "",
      namespace: "ns",
      name: "d",
    }),
  });
  return "error" in result ? `error: ${result.error.message}` : showValue(result.value);
}

describeExpressions("authorizer", run, [
  ["authorizer.path('/healthz').check('get').allowed()", "true"],
  [
    "authorizer.group('apps').resource('deployments').namespace('a').name('b').check('get').reason()",
    "apps/deployments/a/b/get",
  ],
  ["authorizer.group('').resource('pods').fieldSelector('a=b').check('list').allowed()", "false"],
  [
    "authorizer.requestResource.subresource('scale').check('get').reason()",
    "apps/deployments/scale/ns/d/get",
  ],
  ["authorizer.serviceAccount('ns', 'sa').path('/x').check('fail').error()", "broken"],
  [
    "authorizer.serviceAccount('n.s', 'sa').path('/x').check('get').allowed()",
    "error: Invalid service account namespace",
  ],
  ["authorizer.path(' ').check('get').allowed()", "error: path must not be empty"],
]);
