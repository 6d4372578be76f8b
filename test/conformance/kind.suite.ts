// The contract of a Kind, whatever its source: a definition, discovery, or names alone.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Kind } from "homeostat";
import { parseApiVersion } from "homeostat/api";

/** Runs the suite on one kind. */
export function kindSuite(name: string, create: () => Kind | Promise<Kind>): void {
  describe(`kind: ${name}`, () => {
    test("has an apiVersion, a kind and a resource that go together", async () => {
      const kind = await create();
      const parsed = parseApiVersion(kind.apiVersion);
      assert.ok(parsed, kind.apiVersion);
      assert.match(parsed.version, /^v[0-9]+((alpha|beta)[0-9]+)?$/);
      assert.match(kind.kind, /^[A-Z][A-Za-z0-9]*$/);
      assert.match(kind.resource, /^[a-z][a-z0-9]*$/, "the plural is a path segment");
      assert.notEqual(kind.resource, kind.kind);
    });

    test("is namespaced or cluster-wide, and nothing else", async () => {
      assert.ok(["Namespaced", "Cluster"].includes((await create()).scope));
    });

    test("its types do not exist at run time", async () => {
      assert.equal(Object.hasOwn(await create(), "~types"), false);
    });
  });
}
