import assert from "node:assert/strict";
import { test } from "node:test";
import { type AdmissionRequest, type AdmissionStep, runMutatingAdmission } from "./admission.ts";

const request = {} as AdmissionRequest;

test("mutating steps run again, all of them and once, if one asks for it", async () => {
  const seen: string[] = [];
  const step =
    (name: string, asks: "asks" | "is content"): AdmissionStep =>
    ({ reinvocation }) => {
      seen.push(`${name} in the ${reinvocation!.pass} pass`);
      if (asks === "asks") reinvocation!.need();
    };
  await runMutatingAdmission([step("a", "is content"), step("b", "is content")], request);
  assert.deepEqual(seen.splice(0), ["a in the first pass", "b in the first pass"]);
  await runMutatingAdmission([step("a", "is content"), step("b", "asks")], request);
  assert.deepEqual(seen, [
    "a in the first pass",
    "b in the first pass",
    "a in the second pass",
    "b in the second pass",
  ]);
});
