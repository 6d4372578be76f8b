import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "homeostat/api";
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import { type FieldSet, fieldSetOf, isSubset, pathsOf } from "../fieldpath/field-set.ts";
import { mergeTyped } from "../typed/merge-typed.ts";
import { smdFromJsonSchema } from "../typed/smd-from-json-schema.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import { validateTyped } from "../typed/validate-typed.ts";
import type { TypedObject } from "./managers.ts";
import { prune } from "./prune.ts";

const text: JsonSchemaProps = { type: "string" };
const item: JsonSchemaProps = {
  type: "object",
  properties: {
    name: text,
    v: text,
    tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
    labels: { type: "object", additionalProperties: text },
  },
};
const type = smdFromJsonSchema(
  {
    type: "object",
    properties: {
      a: text,
      map: { type: "object", additionalProperties: text },
      nested: { type: "object", additionalProperties: item },
      set: { type: "array", "x-kubernetes-list-type": "set", items: text },
      items: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: item,
      },
      atomicList: { type: "array", items: item },
      atomicMap: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: text },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
  { objectMeta: deducedType },
);

const word = fc.constantFrom("x", "y", "z");
const orNull = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(of, { freq: 6, nil: null });
const map = fc.dictionary(word, orNull(word), { maxKeys: 3 });
const some = { requiredKeys: [] as never[] };
const itemBody = fc.record(
  { v: orNull(word), tags: orNull(fc.uniqueArray(word)), labels: orNull(map) },
  some,
);
const named = fc.uniqueArray(fc.tuple(word, itemBody), { selector: ([name]) => name });
const value = fc.record(
  {
    a: orNull(word),
    map: orNull(map),
    nested: orNull(fc.dictionary(word, orNull(itemBody), { maxKeys: 2 })),
    set: orNull(fc.uniqueArray(word)),
    items: orNull(named.map((items) => items.map(([name, body]) => ({ name, ...body })))),
    atomicList: orNull(fc.array(itemBody, { maxLength: 2 })),
    atomicMap: orNull(map),
    free: orNull(fc.dictionary(word, fc.oneof(orNull(word), map, fc.array(word)))),
  },
  some,
) as fc.Arbitrary<Json>;

/** Some of the members of a set. */
const part = (set: FieldSet, keeps: readonly boolean[]): FieldSet =>
  fieldSetOf([...pathsOf(set)].filter((_, i) => keeps[i % keeps.length]));

test("nothing is pruned from an object whose applier drops nothing", () => {
  fc.assert(
    fc.property(
      value,
      value,
      value,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      (live, intent, others, keeps) => {
        fc.pre(!validateTyped(type, live, "allowed").length);
        const merged: TypedObject = {
          apiVersion: "v1",
          type,
          value: mergeTyped(type, live, intent),
        };
        const set = toFieldSet(type, intent);
        const last = part(set, keeps);
        assert.ok(isSubset(last, set));
        const pruned = prune(merged, {
          convert: (object) => object,
          managers: new Map([
            ["me", { set, apiVersion: "v1", applied: true }],
            ["other", { set: toFieldSet(type, others), apiVersion: "v1", applied: false }],
          ]),
          last: { set: last, apiVersion: "v1", applied: true },
        });
        assert.deepEqual(pruned.value, merged.value);
      },
    ),
    { numRuns: 2000 },
  );
});
