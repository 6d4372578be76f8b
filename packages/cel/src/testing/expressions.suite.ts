// Tests that pair expressions with results.
import assert from "node:assert/strict";
import { describe, it } from "node:test";

/** A suite with one test for each expression: `run` returns the text beside it. */
export function describeExpressions(
  title: string,
  run: (text: string) => string,
  cases: readonly (readonly [text: string, result: string])[],
): void {
  describe(title, () => {
    for (const [text, result] of cases) it(text, () => assert.equal(run(text), result));
  });
}
