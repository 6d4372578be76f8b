import assert from "node:assert/strict";
import { test } from "node:test";
import { storedMetadata } from "../../component-helpers/meta/stored-metadata.suite.ts";
import { createAnnotationCheck } from "./annotation-check.ts";
import { fateAnnotation, knownFates } from "./pod-stages.ts";

const podWith = (fate?: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: storedMetadata("p", {
    namespace: "ns",
    annotations: fate === undefined ? {} : { [fateAnnotation]: fate },
  }),
});

const podFates = knownFates([])!;

test("custom stages may have fates of their own", () => {
  const stage = { name: "s", for: { apiVersion: "v1", kind: "Pod" } };
  assert.deepEqual(knownFates([stage]), podFates);
  const annotations = { [fateAnnotation]: "explode" };
  for (const custom of [{ replacesBuiltIn: true }, { when: { annotations } }])
    assert.equal(knownFates([stage, { ...stage, ...custom }]), undefined);
});

test("a value that is not known is named once for each object", () => {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const check = createAnnotationCheck("pod", fateAnnotation, podFates, { warn });
  for (const fate of [undefined, ...podFates]) check(podWith(fate));
  assert.deepEqual(warnings, []);
  for (const fate of ["crash", "crash", "Fail"]) check(podWith(fate));
  const expected =
    "pod ns/p: simulator.homeostat.dev/fate: expected hold or unready or crash-loop or oom or fail or succeed or evict";
  assert.deepEqual(warnings, [`${expected}, got "crash"`, `${expected}, got "Fail"`]);
});
