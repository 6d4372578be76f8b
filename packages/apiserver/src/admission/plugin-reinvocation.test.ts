import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { type AdmissionRequest, Reinvocation } from "../apimachinery/rest/admission.ts";
import { PluginReinvocation } from "./plugin-reinvocation.ts";

/** Whether a hook that ran in the first pass runs in the second one. */
function runsAgain(between: (object: JsonObject) => void): boolean {
  const reinvocation = new Reinvocation();
  const request = { reinvocation } as AdmissionRequest;
  const object: JsonObject = { data: { a: "1" } };
  const first = PluginReinvocation.of(request, "Hooks");
  first.start(object);
  assert(first.runs("hook"));
  first.ran("hook");
  first.finish(object);
  reinvocation.need();
  between(object);
  reinvocation.startSecondPass();
  const second = PluginReinvocation.of(request, "Hooks");
  second.start(object);
  return second.runs("hook");
}

test("a hook runs again only if the object has changed since it ran", () => {
  assert.equal(
    runsAgain(() => {}),
    false,
  );
  assert.equal(
    runsAgain((object) => (object["data"] = { a: "2" })),
    true,
  );
});
