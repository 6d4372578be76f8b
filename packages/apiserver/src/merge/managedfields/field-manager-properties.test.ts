import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cloneJson, type Json, type JsonObject } from "homeostat/api";
import { apply, fields, owners } from "./field-manager.suite.ts";
import { apiVersion, at, kind } from "./thing.suite.ts";

describe("properties", () => {
  const word = fc.constantFrom("x", "y", "z");
  const spec = fc.record(
    {
      a: word,
      b: word,
      map: fc.dictionary(word, word, { minKeys: 1 }),
      set: fc.uniqueArray(word, { minLength: 1 }),
      items: fc
        .uniqueArray(word, { minLength: 1 })
        .map((names) => names.map((name) => ({ name, v: "1" }))),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Json>;

  test("an apply is idempotent and mutates nothing", () => {
    fc.assert(
      fc.property(spec, spec, fc.constantFrom("ann", "bob"), (first, second, manager) => {
        const live = apply(undefined, first, "ann"),
          before = cloneJson(live);
        const once = apply(live, second, manager, { force: true });
        assert.deepEqual(live, before);
        const twice = apply(once, second, manager, { force: true, second: 9 });
        assert.deepEqual(twice, once);
      }),
    );
  });

  test("applying more and then less restores the object", () => {
    fc.assert(
      fc.property(spec, spec, (base, more) => {
        const live = apply(undefined, base, "ann");
        const extended = apply(live, more, "bob", { force: true });
        const back = fields.apply(
          extended,
          { apiVersion, kind, metadata: { name: "t" } },
          { manager: "bob", force: true, now: at(2) },
        );
        const left = (back["spec"] ?? {}) as JsonObject;
        // What bob took from ann by force went with him; nothing of his stays.
        for (const entry of owners(back)) assert.ok(!entry.startsWith("bob"));
        for (const [name, value] of Object.entries(left))
          if (value !== null) assert.ok(Object.hasOwn(base as JsonObject, name), name);
      }),
    );
  });

  test("every field of an applied object has an owner, and no owner owns what is absent", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(spec, fc.constantFrom("ann", "bob", "cat")), {
          minLength: 1,
          maxLength: 5,
        }),
        (steps) => {
          let live: JsonObject | undefined;
          for (const [next, manager] of steps) live = apply(live, next, manager, { force: true });
          const owned = new Set(
            owners(live!).flatMap((text) => text.slice(text.indexOf(": ") + 2).split(" ")),
          );
          const { a, b, map, set } = (live!["spec"] ?? {}) as Record<string, Json>;
          assert.equal(owned.has(".spec.a"), a !== undefined);
          assert.equal(owned.has(".spec.b"), b !== undefined);
          for (const key of ["x", "y", "z"]) {
            assert.equal(
              owned.has(`.spec.map.${key}`),
              (map as JsonObject | undefined | null)?.[key] !== undefined,
            );
            assert.equal(owned.has(`.spec.set[="${key}"]`), ((set ?? []) as Json[]).includes(key));
          }
        },
      ),
    );
  });
});
