import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import { parseExact } from "../parse-exact.ts";
import { compileStructure } from "./compile-structure.ts";
import { defineResource } from "./define-resource.ts";
import { k } from "./k.ts";

const api = { group: "kitchen.example.com", version: "v1", kind: "Meal" } as const;
const { definition } = defineResource({
  ...api,
  spec: z.object({
    dish: z.string().max(3),
    size: z.int().max(2).optional(),
    price: z.number().optional(),
    hot: z.boolean().default(false),
    course: z.enum(["starter", "dessert"]).optional(),
    port: k.intOrString().optional(),
    guest: z.string().nullable().optional(),
    parts: k.listMap(z.object({ name: z.string(), amount: z.int().optional() }), "name").optional(),
    prices: z.record(z.string(), z.number()).optional(),
    open: z.looseObject({ known: z.string() }).optional(),
    any: z.unknown().optional(),
    letter: z.enum("abcdefghijkl".split("") as [string, ...string[]]).optional(),
    constructor: z.string().optional(),
  }),
  status: z.object({ cook: z.string(), shift: z.object({ from: z.string() }) }),
  conditions: ["Ready"],
});
const match = compileStructure(definition);
const ofSpec = (spec: object) => match({ spec: { dish: "soup", ...spec } });

describe("the structure of a definition", () => {
  it("matches whatever bounds, patterns, defaults and unknown fields say", () => {
    const fitting: readonly object[] = [
      {},
      { dish: "longer than three", size: 7, unknown: [1] },
      { size: 2.0, price: 1.5, hot: true, course: "dessert", port: 80 },
      { port: "http", guest: null, any: null, open: { known: "a", more: 1 } },
      { parts: [{ name: "leek" }, { name: "salt", amount: 1, unknown: {} }], prices: { a: 1 } },
      { parts: [], prices: {}, any: { deep: [] } },
      parseExact(
        '{"size":9007199254740993,"price":9007199254740993,"port":9007199254740993}',
      ) as object,
    ];
    for (const spec of fitting) assert.equal(ofSpec(spec), undefined, String(Object.keys(spec)));
  });

  it("says where a value differs, what was expected and what was found", () => {
    const rows: readonly (readonly [object, string])[] = [
      [{ dish: 7 }, "spec.dish: expected a string, found 7"],
      [{ dish: null }, "spec.dish: expected a string, found null"],
      [{ dish: undefined }, "spec.dish: expected a value, found nothing"],
      [{ size: "three" }, 'spec.size: expected an integer, found the string "three"'],
      [{ size: 1.5 }, "spec.size: expected an integer, found 1.5"],
      [{ price: [1] }, "spec.price: expected a number, found a list"],
      [{ hot: "yes" }, 'spec.hot: expected true or false, found the string "yes"'],
      [
        { course: "main" },
        'spec.course: expected one of "starter", "dessert", found the string "main"',
      ],
      [
        { letter: "z" },
        'spec.letter: expected one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", …, found the string "z"',
      ],
      [{ port: 1.5 }, "spec.port: expected an integer or a string, found 1.5"],
      [{ parts: {} }, "spec.parts: expected a list, found an object"],
      [{ parts: [{ name: "a" }, {}] }, "spec.parts[1].name: expected a value, found nothing"],
      [{ prices: { "a/b": "1" } }, 'spec.prices[a/b]: expected a number, found the string "1"'],
      [{ open: {} }, "spec.open.known: expected a value, found nothing"],
      [{ constructor: 1 }, "spec.constructor: expected a string, found 1"],
      [
        { dish: 1, size: "a", hot: 1, port: [] },
        'spec.dish: expected a string, found 1; spec.size: expected an integer, found the string "a"; spec.hot: expected true or false, found 1; and more',
      ],
    ];
    for (const [spec, message] of rows) assert.deepEqual(ofSpec(spec), { message, isInSpec: true });
    assert.equal(match({})?.message, "spec: expected a value, found nothing");
    assert.equal(match({ spec: [] })?.message, "spec: expected an object, found a list");
    const long = { prices: Object.fromEntries(Array.from({ length: 999 }, (_, i) => [i, "x"])) };
    assert.ok(ofSpec(long)!.message.length < 300);
  });

  it("takes an absent, empty or partial status, and few demands of conditions", () => {
    const ofStatus = (status: unknown) => match({ spec: { dish: "soup" }, status });
    const condition = { type: "Else", lastTransitionTime: null };
    for (const status of [undefined, null, {}, { cook: "a" }, { conditions: [condition] }])
      assert.equal(ofStatus(status), undefined);
    const rows: readonly (readonly [unknown, string])[] = [
      [{ cook: 1 }, "status.cook: expected a string, found 1"],
      [{ shift: {} }, "status.shift.from: expected a value, found nothing"],
      [{ conditions: { type: "Ready" } }, "status.conditions: expected a list, found an object"],
      [{ conditions: [null] }, "status.conditions[0]: expected an object, found null"],
      ["done", 'status: expected an object, found the string "done"'],
    ];
    for (const [status, message] of rows)
      assert.deepEqual(ofStatus(status), { message, isInSpec: false });
    assert.deepEqual(match({ spec: [], status: 1 }), {
      message: "spec: expected an object, found a list",
      isInSpec: true,
    });
  });

  it("requires no field that has a default, whatever the library lists as required", () => {
    const properties = { a: { type: "string", default: "x" }, b: { type: "string" } } as const;
    const spec = { type: "object", required: ["a", "b"], properties } as const;
    const defaulted = compileStructure({ ...definition, spec });
    assert.equal(defaulted({ spec: { b: "y" } }), undefined);
    assert.match(defaulted({ spec: {} })!.message, /^spec\.b: expected a value, found nothing$/);
  });

  it("takes any spec and status where the definition says nothing of them", () => {
    const { definition: open } = defineResource({ ...api, spec: z.looseObject({}) });
    const loose = compileStructure(open);
    assert.equal(loose({ spec: { a: [] }, status: "anything" }), undefined);
    assert.equal(loose("no object"), undefined);
  });
});
