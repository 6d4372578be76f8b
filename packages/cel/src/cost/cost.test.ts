import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { compileExpression, type Program } from "../program.ts";
import { estimateCost } from "../checker/estimate-cost.ts";

function program(text: string): Program {
  const compiled = compileExpression(text, kubernetesEnvironment());
  assert.ok("program" in compiled, text);
  return compiled.program;
}

// What cel-go v0.26 charges in the environment of Kubernetes 1.36.
describe("the cost of an evaluation that fails", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["[0,1,2].map(n, 4 / n)", 43],
    ["[0,1,2].filter(n, 4 / n > 1)", 36],
    ["[0,1].exists_one(n, 4 / n == 1)", 8],
    ["(1 / 0) * (3 - 1)", 3],
    ["{'a': {'b': 1 / 0}}.a.b", 62],
    ["[1/0][0]", 12],
    ["[1][1/0]", 3],
    ["[0, 2].transformMap(i, v, 1 / v)", 7],
    ["'abc'.substring(1, 1/0)", 2],
    ["quantity(string(1/0))", 3],
    ["dyn(1/0).a", 3],
    ["has(dyn(1/0).a)", 2],
    ["has({}.a.b)", 1],
    ["[true, false].filter(n, n ? 1 / 0 == 1 : true)", 18],
    ["google.protobuf.Int64Value{value: 1 / 0}", 41],
  ];
  for (const [text, cost] of cases)
    it(text, () => {
      const result = program(text).evaluate({});
      assert.ok("error" in result);
      assert.equal(result.cost, cost);
    });
});

describe("the cost of an evaluation", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["1 + 2", 1],
    ["[1, 2][1]", 2],
    ["{'a': 1}.a", 2],
    ["has({'a': 1}.a)", 1],
    ["1.5 in [1.5, 2.0]", 0],
    ["string(5)", 0],
    ["[1, 2].map(x, x + 1)", 29],
    ["[1, 2].filter(x, x > 1)", 18],
    ["[1, 2].all(x, x > 1)", 8],
    ["[1, 2].exists_one(x, x > 1)", 8],
    ["{'a': 1, 'b': 2}.transformMap(k, v, v + 1)", 11],
    ["optional.of(1).optMap(x, x + 1).value()", 8],
    ["{'a': {'b': 1}}[?'a'].c.orValue(5)", 2],
    ["'abcdefghijk' == 'abcdefghijkl'", 2],
    ["'abc 123 def 456'.findAll('[0-9]+')", 4],
    ["[3, 1, 2].sortBy(x, -x)", 74],
    ["cidr('10.0.0.0/8').containsIP('10.1.1.1')", 3],
    ["format.dns1123Label().validate('a')", 9],
    ["lists.range(3).slice(1, 3).reverse()", 14 + 13 + 13],
    ["['ab', 'cd'].join('-')", 1],
    ["{'a': 1}.b == 2 || true", 3],
    ["1 / 0 == 1 || 1 / 0 == 2 || true", 4],
    ["[{'a': 'b'}, {'v': 'z'}].exists(m, m.v == 'z')", 15],
  ];
  for (const [text, cost] of cases)
    it(text, () => assert.equal(program(text).evaluate({}).cost, cost));

  it("stops at its limit, past what absorbs errors", () => {
    const result = program("lists.range(100).all(x, x >= 0) || true").evaluate({}, 50);
    assert.ok("error" in result);
    assert.equal(result.error.message, "operation cancelled: actual cost limit exceeded");
  });
});

describe("a result that does not fit below the limit", () => {
  const repeated = (start: string, step: string, times: number): string =>
    start + step.repeat(times);
  const many = `'${"a".repeat(9000)}'`;
  const cases: readonly (readonly [string, string])[] = [
    ["range", "lists.range(9223372036854775807)"],
    ["replace", repeated(many, `.replace('a', ${many})`, 2)],
    ["gaps", repeated(many, `.replace('', ${many})`, 2)],
    ["lists", repeated("[[1, 2]]", ".map(x, x + x)", 60)],
    ["texts", repeated("[dyn('a')]", ".map(x, x + x)", 60)],
    ["flatten", repeated("[[1, 2]]", ".map(x, [x, x].flatten())", 60)],
    ["join", repeated("['ab']", ".map(x, [x, x, x, x].join())", 60)],
  ];
  for (const [title, text] of cases)
    it(`is never made: ${title}`, () => {
      const result = program(text).evaluate({}, 10_000);
      assert.ok("error" in result);
      assert.equal(result.error.message, "operation cancelled: actual cost limit exceeded");
    });

  it("does not refuse a replacement that finds nothing", () => {
    assert.equal(program(`${many}.replace('b', ${many}).size()`).evaluate({}).cost, 1801);
  });
});

describe("the estimate of an expression", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["1 + 2 == 3", 2],
    ["[1, 2, 3].all(x, x > 0)", 10 + 3 * 5 + 1],
    ["'a'.startsWith('abc')", 1],
    ["'abc'.matches('a+') && true", 1],
  ];
  for (const [text, cost] of cases)
    it(text, () => assert.equal(estimateCost(program(text).root, () => undefined).max, cost));
});
