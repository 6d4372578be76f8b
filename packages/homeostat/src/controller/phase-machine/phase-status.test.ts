import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { defineResource } from "../../api/resource/define-resource.ts";
import { type PhaseState, toJson } from "./phase.ts";
import { phaseStatus } from "./phase-status.ts";

const state: Required<PhaseState> = {
  phase: "Draining",
  since: "2026-01-01T00:00:00.000Z",
  attempts: 1,
  acts: true,
  undo: ["Draining"],
  failure: "late",
  pausedSince: "2026-01-01T00:00:00.000Z",
  key: "1",
};

test("has a field for all of a machine's state, and no other", () => {
  const schema = phaseStatus("Draining", "Done");
  assert.deepEqual(Object.keys(schema.shape).toSorted(), Object.keys(state).toSorted());
  assert.deepEqual(schema.parse(toJson(state)), state);
  const { failure: _f, pausedSince: _p, key: _k, ...least } = state;
  assert.deepEqual(schema.parse(least), least);
});

test("takes the named phases only, or any phase where none is named", () => {
  const named = phaseStatus("Draining", "Done");
  const draining: "Draining" | "Done" = named.parse(state).phase;
  assert.equal(draining, "Draining");
  assert.equal(named.safeParse({ ...state, phase: "Gone" }).success, false);
  assert.equal(named.safeParse({ ...state, undo: ["Gone"] }).success, false);
  assert.equal(phaseStatus().parse({ ...state, phase: "Gone" }).phase, "Gone");
});

test("becomes a schema of the definition", () => {
  const Upgrade = defineResource({
    group: "nodes.example.com",
    version: "v1",
    kind: "Upgrade",
    spec: z.object({ version: z.string() }),
    status: z.object({ machine: phaseStatus("Draining", "Done") }),
  });
  const status = Upgrade.definition.status as any;
  const { machine } = status.properties;
  assert.deepEqual(machine.properties.phase, { type: "string", enum: ["Draining", "Done"] });
  assert.equal(machine.properties.since.format, "date-time");
  assert.deepEqual(machine.required, ["phase", "since", "attempts", "acts", "undo"]);
});
