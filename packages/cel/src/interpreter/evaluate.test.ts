import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { withVariables } from "../environment/environment.ts";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { compileExpression } from "../program.ts";
import { describeExpressions } from "../testing/expressions.suite.ts";
import { runExpression } from "../testing/run-expression.ts";
import { dynType, intType } from "../types/type.ts";
import { normalInt } from "../values/int.ts";
import { ValueList } from "../values/list.ts";
import type { CelValue } from "../values/value.ts";

describeExpressions("numbers", runExpression, [
  ["9223372036854775807 + 1", "error: integer overflow"],
  ["-9223372036854775808 - 1", "error: integer overflow"],
  ["9007199254740993 * 3", "27021597764222979"],
  ["4611686018427387904 * 2", "error: integer overflow"],
  ["-7 / 2", "-3"],
  ["-7 % 2", "-1"],
  ["1 / 0", "error: division by zero"],
  ["1 % 0", "error: modulus by zero"],
  ["1u - 2u", "error: unsigned integer overflow"],
  ["1.0 / 0.0", "+Inf"],
  ["0.0 / 0.0 == 0.0 / 0.0", "false"],
  ["0.0 / 0.0 < 1.0", "error: NaN values cannot be ordered"],
  ["9007199254740993 > 9007199254740992.0", "false"],
  ["1 < 2u && 2u < 2.5", "true"],
  ["dyn(1) == 1u && dyn(1u) == 1.0", "true"],
]);

test("ints are exact within 64 bits", () => {
  const environment = withVariables(
    kubernetesEnvironment(),
    new Map([
      ["a", intType],
      ["b", intType],
    ]),
  );
  const operations = {
    "+": (a: bigint, b: bigint) => a + b,
    "-": (a: bigint, b: bigint) => a - b,
    "*": (a: bigint, b: bigint) => a * b,
  };
  const int64 = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -1000n, max: 1000n }),
  );
  for (const [operator, exact] of Object.entries(operations)) {
    const compiled = compileExpression(`a ${operator} b`, environment);
    assert.ok("program" in compiled);
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const result = compiled.program.evaluate({ a: normalInt(a), b: normalInt(b) });
        const wanted = exact(a, b);
        if (BigInt.asIntN(64, wanted) === wanted)
          assert.ok("value" in result && BigInt(result.value as number) === wanted);
        else assert.ok("error" in result && result.error.message === "integer overflow");
      }),
      { numRuns: 200 },
    );
  }
});

describe("what the engine cannot hold is an error of the evaluation", () => {
  /** Lists in lists, deeper than the stack. */
  const deep = (): CelValue => {
    let list: CelValue = new ValueList([]);
    for (let i = 0; i < 100_000; i++) list = new ValueList([list]);
    return list;
  };
  const environment = withVariables(
    kubernetesEnvironment(),
    new Map([
      ["a", dynType],
      ["b", dynType],
    ]),
  );
  const cases: readonly (readonly [string, string])[] = [
    ["lists.range(9223372036854775807).size() == 0 || true", "Invalid array length"],
    ["a == b || true", "Maximum call stack size exceeded"],
  ];
  for (const [text, message] of cases)
    it(message, () => {
      const compiled = compileExpression(text, environment);
      assert.ok("program" in compiled);
      const result = compiled.program.evaluate({ a: deep(), b: deep() }, Infinity);
      assert.ok("error" in result);
      assert.equal(result.error.message, `internal error: ${message}`);
    });
});

describeExpressions("logic", runExpression, [
  ["1 / 0 == 1 || true", "true"],
  ["true || 1 / 0 == 1", "true"],
  ["1 / 0 == 1 && false", "false"],
  ["1 / 0 == 1 || false", "error: division by zero"],
  ["dyn('a') && true", "error: no such overload"],
  ["dyn('a') ? 1 : 2", "error: no such overload"],
  ["[0, 2].exists(x, 2 / x == 1)", "true"],
  ["[0, 2].all(x, 2 / x == 2)", "false"],
  ["[1, 2].exists(x, x / 0 == 1)", "error: division by zero"],
  ["[1, 0].exists_one(x, 1 / x == 1)", "error: division by zero"],
  ["[1, 2].map(x, x / 0)", "error: division by zero"],
]);

describeExpressions("members", runExpression, [
  ["{'a': 1}.b", "error: no such key: b"],
  ["{'a': 1}['b']", "error: no such key: b"],
  ["[1, 2][5]", "error: index out of bounds: 5"],
  ["[1][-1]", "error: index out of bounds: -1"],
  ["dyn([1])['a']", "error: unsupported index type 'string' in list"],
  ["dyn([1])[1.5]", "error: unsupported index value 1.5 in list"],
  ["dyn(1).b", "error: no such key: b"],
  ["{1: 'a'}[dyn(1u)]", "a"],
  ["has({'a': 1}.b)", "false"],
  ["has({'a': {'b': 1}}.a.b)", "true"],
  ["{'a': {'b': 1}}.?a.c.orValue(5)", "5"],
  ["{'a': 1}[?'b'].hasValue()", "false"],
  ["optional.none().value()", "error: optional.none() dereference"],
  ["[1, ?optional.none(), ?optional.of(2)].size()", "2"],
  ["optional.of(1).or(optional.of(2)).value()", "1"],
  ["optional.ofNonZeroValue('').hasValue()", "false"],
  ["optional.of(2).optFlatMap(x, [1, 2, 3][?x]).value()", "3"],
]);

describeExpressions("values without the wanted type", runExpression, [
  ["dyn(1) + dyn('a')", "error: no such overload"],
  ["dyn({}) + dyn(1)", "error: no such overload: _+_"],
  ["dyn(1).size()", "error: no such overload: size"],
  ["dyn(1).startsWith('a')", "error: no such overload"],
  ["dyn(1).lowerAscii()", "error: no such overload: lowerAscii(int)"],
  ["dyn('a').substring(dyn('b'))", "error: no such overload: substring(string, string)"],
  ["dyn('a') in dyn('b')", "error: no such overload"],
  ["dyn(1).all(x, true)", "error: got 'types.Int', expected iterable type"],
  ["dyn([1]) == dyn('a')", "false"],
]);

describeExpressions("conversions", runExpression, [
  ["string(1.0e21) + string(0.00001) + string(1e5)", "1e+211e-05100000"],
  ["string(b'\\xff')", "program: invalid UTF-8 in bytes, cannot convert to string"],
  ["int('x')", "program: type conversion error from 'string' to 'int'"],
  ["int(' 7')", "program: type conversion error from 'string' to 'int'"],
  ["int(1e30)", "program: integer overflow"],
  ["uint(-1)", "program: unsigned integer overflow"],
  ["int(-2.9)", "-2"],
  ["bool('T') && !bool('0')", "true"],
  ["double('0x1p-2')", "0.25"],
  ["type(1) == int && type([]) == list && type(null) == null_type", "true"],
  ["string(timestamp('2023-01-01T00:00:00.5+02:00'))", "2023-01-01T00:00:00.5+02:00"],
  [
    "timestamp('2023-02-29T00:00:00Z') == timestamp(0)",
    "ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('2023-02-29T00:00:00Z') == timestamp(0)\n | ..........^",
  ],
  ["string(duration('1h5ms'))", "3600.005s"],
  ["{null: 1}[null]", "program: invalid qualifier type: types.Null"],
  ["{0: 1}[dyn(b'')] == 1 || true", "program: invalid qualifier type: types.Bytes"],
  [
    "timestamp(253402300800)",
    "ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(253402300800)\n | ..........^",
  ],
]);

describeExpressions("time", runExpression, [
  ["timestamp('2024-03-01T00:30:00Z').getDayOfYear()", "60"],
  ["timestamp('2023-01-01T00:00:00Z').getHours('America/New_York')", "19"],
  ["timestamp('2023-07-01T00:00:00Z').getHours('America/New_York')", "20"],
  ["timestamp('2023-01-01T00:00:00Z').getMinutes('-02:30')", "30"],
  ["timestamp('2023-01-01T00:00:00Z').getHours('Nowhere')", "error: unknown time zone Nowhere"],
  ["timestamp('2023-01-01T00:00:00.123456Z').getMilliseconds()", "123"],
  ["duration('-90s').getMinutes()", "-1"],
  ["timestamp(10) + duration('-1ns') < timestamp(10)", "true"],
  ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow"],
  ["duration('9223372036s') + duration('1s')", "error: duration overflow"],
]);

describeExpressions("loops", runExpression, [
  ["[1, 2, 3].filter(x, x % 2 == 1)", "[1, 3]"],
  ["{'a': 1, 'b': 2}.map(k, k)", "[a, b]"],
  ["[3, 1].map(x, x > 2, x * 10)", "[30]"],
  ["[5, 6].transformList(i, v, i + v)", "[5, 7]"],
  ["{'a': 1}.transformMap(k, v, v + 1)", "{a: 2}"],
  ["['x', 'y'].transformMapEntry(i, v, {v: i})", "{x: 0, y: 1}"],
  ["['x', 'x'].transformMapEntry(i, v, {v: i})", "error: insert failed: key x already exists"],
  ["[1, 2].exists(i, v, i == 1 && v == 2)", "true"],
  ["[[1, 2], [3]].all(x, x.exists(y, y > 0))", "true"],
]);
