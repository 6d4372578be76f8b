import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { standardMacros } from "./macros.ts";
import { parseExpression } from "./parser.ts";
import { describeExpressions } from "../testing/expressions.suite.ts";
import { complaint, runExpression } from "../testing/run-expression.ts";

const expected =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

describeExpressions("syntax errors", complaint, [
  ["1 +", `Syntax error: mismatched input '<EOF>' expecting ${expected}`],
  ["1 + * 2", `Syntax error: extraneous input '*' expecting ${expected}`],
  ["(1 + 2", "Syntax error: missing ')' at '<EOF>'"],
  ["[1, 2", "Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
  ["[1,, 2]", "Syntax error: mismatched input ',' expecting ']'"],
  ["{'a' 1}", "Syntax error: missing ':' at '1'"],
  ["true ? 1", "Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["1 2", "Syntax error: extraneous input '2' expecting <EOF>"],
  ["1 2 3", "Syntax error: mismatched input '2' expecting <EOF>"],
  ["a.", "Syntax error: no viable alternative at input '.'"],
  ["a. &&", "Syntax error: no viable alternative at input '. &&'"],
  ["a.true", "Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ["a = b", "Syntax error: token recognition error at: '= '"],
  ["'open", "Syntax error: token recognition error at: ''open'"],
  ["'\\q'", "Syntax error: token recognition error at: ''\\q'"],
  ["if", "reserved identifier: if"],
  ["9223372036854775808", "invalid int literal"],
  ["18446744073709551616u", "invalid uint literal"],
  ["b'\\u0041'", "unable to unescape string"],
  ["'\\ud800'", "invalid unicode code point"],
  ["has(1)", "invalid argument to has() macro"],
  ["[1].all(1, true)", "argument must be a simple name"],
  ["[1].map(1, true)", "argument is not an identifier"],
  ["T{`in`: true}", "unsupported syntax: '`'"],
  ["[1].existsOne(1, true)", "undeclared reference to 'existsOne' (in container '')"],
  ["[1].all(x, x, true)", "duplicate variable name: x"],
]);

describeExpressions("literals", runExpression, [
  ["-9223372036854775808", "-9223372036854775808"],
  ["0x1F", "31"],
  ["0xffu", "255"],
  ["1e3", "1000"],
  [".5", "0.5"],
  ["'a\\u00e9\\x41\\101\\n'", "aéAA\n"],
  ["r'a\\n'", "a\\n"],
  ['"""a\n"b"\n"""', 'a\n"b"\n'],
  ["b'\\xffa'.size()", "2"],
  ["--1", "1"],
  ["- 1", "-1"],
  ["!!true", "true"],
]);

describe("the place of an error", () => {
  it("counts wide characters as one", () => {
    assert.equal(
      runExpression("'é' + x"),
      "ERROR: <input>:1:7: undeclared reference to 'x' (in container '')\n | 'é' + x\n | .．....^",
    );
  });

  it("is shown in its line", () => {
    assert.equal(
      runExpression("1 ==\n  y"),
      "ERROR: <input>:2:3: undeclared reference to 'y' (in container '')\n |   y\n | ..^",
    );
  });

  it("counts from zero in an empty text", () => {
    assert.match(
      runExpression(""),
      /^ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting/,
    );
  });

  it("reports all errors in order of place", () => {
    assert.deepEqual(runExpression("b + a").match(/:\d+:\d+:/g), [":1:1:", ":1:5:"]);
  });
});

describe("parsing", () => {
  it("reports every failure as an issue", () => {
    const piece = fc.constantFrom(
      ..."( ) [ ] { } . , ? : && || ! - + == in x 1 'a' @ for has".split(" "),
      " ",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) =>
        assert.ok(parseExpression(pieces.join(""), standardMacros).issues.length <= 100),
      ),
      { numRuns: 300 },
    );
  });

  it("bounds nesting", () => {
    assert.equal(
      complaint(`${"(".repeat(300)}1${")".repeat(300)}`),
      "expression recursion limit exceeded: 250",
    );
  });

  it("visits at most 250 nodes, chains included", () => {
    const chain = (links: number): string => `${"true == ".repeat(links)}true`;
    assert.equal(runExpression(chain(250)), "true");
    assert.equal(runExpression(chain(251)), "ERROR: <input>:-1:0: max recursion depth exceeded");
    for (const link of [".map(x, x)", ".size()", "[0]", ".a"])
      assert.equal(complaint(`[1]${link.repeat(251)}`), "max recursion depth exceeded");
    for (const free of [
      `${"true && ".repeat(400)}true`,
      `${"[".repeat(50)}${"]".repeat(50)}`,
      `size(${"!".repeat(300)}"a")`,
    ])
      assert.doesNotMatch(complaint(free), /depth/);
  });

  it("bounds length", () => {
    assert.equal(
      complaint(`'${"a".repeat(100_000)}'`),
      "expression code point size exceeds limit: size: 100002, limit 100000",
    );
  });
});
