// Named formats of CEL and the name rules of homeostat/api give the same messages: two packages
// that must not know each other hold the same rules.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  compileExpression,
  kubernetesEnvironment,
  stringType,
  toJson,
  withVariables,
} from "@homeostat/cel";
import fc from "fast-check";
import {
  dns1035LabelFaults,
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelKeyFaults,
  labelValueFaults,
  type SyntaxRule,
} from "homeostat/api";

const rules: Readonly<Record<string, SyntaxRule>> = {
  dns1035Label: dns1035LabelFaults,
  dns1123Label: dnsLabelFaults,
  dns1123Subdomain: dnsSubdomainFaults,
  qualifiedName: labelKeyFaults,
  labelValue: labelValueFaults,
};

const environment = withVariables(kubernetesEnvironment(), new Map([["text", stringType]]));

const complaintsOf = (format: string): ((text: string) => unknown) => {
  const compiled = compileExpression(`format.${format}().validate(text).orValue([])`, environment);
  assert.ok("program" in compiled);
  return (text) => {
    const result = compiled.program.evaluate({ text });
    assert.ok("value" in result);
    return toJson(result.value);
  };
};

const piece = fc.oneof(
  fc.constantFrom("a", "1", "A", "-", ".", "_", "/", "é", "a".repeat(62), "b.".repeat(126)),
  fc.string({ unit: "grapheme", maxLength: 2 }),
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));

for (const [format, rule] of Object.entries(rules)) {
  test(format, () => {
    const complaints = complaintsOf(format);
    fc.assert(fc.property(text, (value) => assert.deepEqual(complaints(value), rule(value))));
  });
}
