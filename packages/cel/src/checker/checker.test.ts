import assert from "node:assert/strict";
import { test } from "node:test";
import { describeExpressions } from "../testing/expressions.suite.ts";
import { complaint } from "../testing/run-expression.ts";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { compileExpression } from "../program.ts";
import { formatType } from "../types/type.ts";

function typeOfResult(text: string): string {
  const compiled = compileExpression(text, kubernetesEnvironment());
  assert.ok("program" in compiled, JSON.stringify(compiled));
  return formatType(compiled.program.type);
}

describeExpressions("type errors", complaint, [
  ["1 == 1.0", "found no matching overload for '_==_' applied to '(int, double)'"],
  ["1 + 'a'", "found no matching overload for '_+_' applied to '(int, string)'"],
  ["size(1)", "found no matching overload for 'size' applied to '(int)'"],
  ["'a'.size(1)", "found no matching overload for 'size' applied to 'string.(int)'"],
  ["true ? 1 : 'a'", "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  ["'a' in [1]", "found no matching overload for '@in' applied to '(string, list(int))'"],
  ["x.y", "undeclared reference to 'x' (in container '')"],
  ["foo(1)", "undeclared reference to 'foo' (in container '')"],
  ["1.foo()", "undeclared reference to 'foo' (in container '')"],
  ["1.x", "type 'int' does not support field selection"],
  ["1 && true", "expected type 'bool' but found 'int'"],
  ["[1].all(x, x)", "expected type 'bool' but found 'int'"],
  [
    "1.all(x, true)",
    "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["[1, 'a'] == []", "expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'x'} == {}", "expected type 'int' but found 'string'"],
  ["[?1]", "expected type 'optional_type(int)' but found 'int'"],
  ["Foo{a: 1}", "undeclared reference to 'Foo' (in container '')"],
  ["int{}", "'int' is not a message type"],
  ["duration('x')", "invalid duration argument"],
  ["timestamp('x')", "invalid timestamp argument"],
  ["timestamp(-62135596801)", "invalid timestamp argument"],
  ["'a'.matches('[')", "invalid matches argument"],
  [
    "'%d'.format(['a'])",
    "error during formatting: decimal clause can only be used on integers, was given string",
  ],
  ["'%d'.format([1, 2])", "too many arguments supplied to string.format (expected 1, got 2)"],
  ["timestamp(1) < 5", "found no matching overload for '_<_' applied to '(timestamp, int)'"],
  ["cel.bind(x, 1, x)", "undeclared reference to 'cel' (in container '')"],
]);

describeExpressions("types of results", typeOfResult, [
  ["[1, 2].map(x, string(x))", "list(string)"],
  ["{'a': [1]}", "map(string, list(int))"],
  ["{'a': 1}.?a", "optional_type(int)"],
  ["[1][?0].optMap(x, x > 0)", "optional_type(bool)"],
  ["[[1], []]", "list(list(int))"],
  ["type(1)", "type(int)"],
  ["timestamp(1) - timestamp(0)", "duration"],
  ["true ? [] : [1]", "list(int)"],
  ["dyn(1)", "dyn"],
  ["[1, 2].transformMap(i, v, 'x')", "map(int, string)"],
  ["quantity('1')", "kubernetes.Quantity"],
  ["'%s %s'.format([1, 'a'])", "string"],
]);

test("versions hide libraries that came later", () => {
  const at = (minor: number): boolean =>
    "program" in compileExpression("semver('1.2.3').major() == 1", kubernetesEnvironment(minor));
  assert.deepEqual([at(32), at(33)], [false, true]);
});
