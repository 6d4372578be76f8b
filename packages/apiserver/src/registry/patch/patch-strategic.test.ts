import assert from "node:assert/strict";
import { test } from "node:test";
import { toConverterMessage } from "./patch-strategic.ts";

test("decoding faults as the converter puts them", () => {
  const table: readonly (readonly [string, string])[] = [
    [
      "number into Go struct field ObjectMeta.metadata.labels of type string",
      "cannot convert int64 to string",
    ],
    ["number 1.5 into Go struct field S.spec.n of type int32", "cannot convert float64 to int32"],
    [
      "array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
      "cannot restore map from slice",
    ],
    [
      "string into Go struct field S.spec.ports of type []v1.ServicePort",
      "cannot restore slice from string",
    ],
    [
      "string into Go struct field S.spec of type v1.ServiceSpec",
      "cannot restore struct from: string",
    ],
    ["bool into Go struct field S.spec.on of type *string", "cannot convert bool to string"],
  ];
  for (const [fault, words] of table)
    assert.equal(toConverterMessage(`json: cannot unmarshal ${fault}`), words);
  assert.equal(
    toConverterMessage("illegal base64 data at input byte 0"),
    "error decoding from json: illegal base64 data at input byte 0",
  );
});
