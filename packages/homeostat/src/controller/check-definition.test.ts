import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../api/kind.ts";
import { defineController } from "./define-controller.ts";
import { ref } from "./ref.ts";

const kind = (name: string): Kind =>
  ({
    apiVersion: "example.com/v1",
    kind: name,
    resource: name.toLowerCase(),
    scope: "Namespaced",
  }) as Kind;
const Box = kind("Box");
const Part = kind("Part");
const reconcile = (): void => {};

it("refuses definitions that cannot run, and names every problem", () => {
  for (const [definition, problem] of [
    [{}, /reconcile is not a function/],
    [{ reconcile, concurrency: 0 }, /concurrency is 0, expected a whole number from 1/],
    [{ reconcile, concurrency: NaN }, /concurrency is NaN/],
    [{ reconcile, concurrency: -1 }, /concurrency is -1/],
    [{ reconcile, concurrency: 1.5 }, /concurrency is 1\.5/],
    [{ reconcile, concurrency: "2" }, /concurrency is '2'/],
    [{ reconcile, timeout: 0 }, /timeout is 0, expected a duration above 0/],
    [{ reconcile, timeout: "0s" }, /timeout is '0s'/],
    [{ reconcile, timeout: "soon" }, /timeout is 'soon'/],
    [{ reconcile, timeout: NaN }, /timeout is NaN/],
    [{ reconcile, retryRate: { qps: 0, burst: 1 } }, /retryRate expects qps above 0/],
    [{ reconcile, retryRate: { qps: 1, burst: 0 } }, /burst, a whole number from 1/],
    [{ reconcile, retryRate: { qps: 1, burst: 1.5 } }, /burst, a whole number from 1/],
    [{ reconcile, priority: 3 }, /: priority is not a function/],
    [{ reconcile, fairBy: "name" }, /fairBy is 'name', expected "namespace"/],
    [{ reconcile, name: "" }, /name is empty/],
    [{ reconcile, finalize: {} }, /finalize is not a function/],
    [{ reconcile, owns: [Part, kind("Part")] }, /owns lists example\.com\/v1 Part twice/],
    [{ reconcile, owns: [undefined] }, /owns is not a list of kinds/],
    [{ reconcile, owns: Part }, /owns is not a list of kinds/],
    [{ reconcile, refs: { part: Part } }, /refs\.part is not made by ref/],
    [{ reconcile, refs: { part: ref(undefined as never, () => "a") } }, /refs\.part/],
    [{ concurrency: 0, timeout: 0 }, /concurrency is 0.*timeout is 0.*reconcile is not/],
  ] as const)
    assert.throws(
      () => defineController(Box, definition as never),
      (error: Error) =>
        error.message.startsWith("ERR_CONTROLLER_DEFINITION: defining a controller of Box: ") &&
        problem.test(error.message),
      String(problem),
    );
  assert.throws(() => defineController(undefined as never, { reconcile }), /not a kind/);
});

it("accepts definitions that can", () => {
  defineController(Box, { reconcile, name: "a", concurrency: 3, timeout: "5m", owns: [Part] });
  defineController(Box, { reconcile, timeout: 1, refs: { part: ref(Part, () => "a") } });
});
