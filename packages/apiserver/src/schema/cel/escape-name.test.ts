import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { escapeName, unescapeName } from "./escape-name.ts";

describe("names as identifiers", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["min-lanes", "min__dash__lanes"],
    ["a.b/c", "a__dot__b__slash__c"],
    ["a__b", "a__underscores__b"],
    ["namespace", "__namespace__"],
    ["namespaces", "namespaces"],
    ["1st", undefined],
    ["a b", undefined],
    ["", undefined],
  ];
  for (const [name, identifier] of cases)
    it(name, () => assert.equal(escapeName(name), identifier));

  it("come back from what they are written as", () => {
    const part = fc.constantFrom("a", "b2", "_", "__", "-", ".", "/", "in", "for");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const name = parts.join("");
        const escaped = escapeName(name);
        if (escaped !== undefined && !/___/.test(name)) assert.equal(unescapeName(escaped), name);
      }),
    );
  });

  it("do not exist for unknown escapes", () => assert.equal(unescapeName("a__what__b"), undefined));
});
