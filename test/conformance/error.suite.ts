// The contract of every error: a stable code with a row in the reference, a message that names the
// attempt, and the cause if another error led to it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

const rows = readFileSync(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");

/** Runs the suite on errors made by `make`; each is a real one, provoked as users provoke it. */
export function errorSuite(name: string, make: () => Promise<unknown>): void {
  describe(`error: ${name}`, () => {
    test("has a code that the reference lists", async () => {
      const { code } = (await make()) as { code?: string };
      assert.match(String(code), /^ERR_[A-Z]+(_[A-Z]+)+$/);
      assert.ok(rows.includes(`\`${code}\``), `${code} has no row in docs/reference/errors.md`);
    });

    test("says more than its code, in one or more sentences without a trailing newline", async () => {
      const error = await make();
      assert.ok(error instanceof Error);
      assert.ok(error.message.length > 30, error.message);
      assert.equal(error.message, error.message.trimEnd());
    });

    test("can be matched without its class", async () => {
      const error = (await make()) as Error & { code: string };
      assert.equal(Object.hasOwn(error, "code"), true);
      assert.notEqual(error.name, "Error");
    });
  });
}
