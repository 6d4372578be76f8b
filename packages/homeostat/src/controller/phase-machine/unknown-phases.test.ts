// Phases that a machine does not have: what to do depends on who names them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { createWait, retry } from "../outcome.ts";
import { phase } from "./phase.ts";
import { type PhaseContext, phaseMachine } from "./phase-machine.ts";

const named = (name: string, hint: RegExp) => (error: unknown) => {
  assert.ok(isHomeostatError(error, "ERR_PHASE_UNKNOWN"), String(error));
  assert.equal(error.message, `ERR_PHASE_UNKNOWN: there is no phase "${name}"; there are A`);
  assert.match(error.hint, hint);
  return true;
};
const phases = {
  A: phase<PhaseContext, never, undefined>({
    observe: () => undefined,
    decide: (_, to) => to.go("Typo") as never,
  }),
};

test("the initial phase, a decision's and that of an object have a hint each", async () => {
  assert.throws(
    () => phaseMachine({ initial: "Frist" as never, phases }),
    named("Frist", /^correct `initial`/),
  );
  const machine = phaseMachine({ initial: "A", phases });
  const run = (status: object) =>
    machine({ object: { status }, status() {}, wait: createWait(String), retry });
  await assert.rejects(run({}), named("Typo", /^correct the decision of phase A/));
  const gone = { machine: { phase: "Gone", since: "", undo: [] } };
  await assert.rejects(run(gone), named("Gone", /^keep a phase as long as objects are in it/));
});
