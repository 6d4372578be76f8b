// The lines and Events of a controller's runs.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { RunVoice } from "./run-voice.ts";

function arrange({ hasRecorder = true } = {}) {
  const said: string[] = [];
  const events: string[] = [];
  const say =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void said.push(`${level} ${message} [${fields["controller"]} ${fields["object"]}]`);
  const recorder = {
    record: ({ regarding, type, reason, note }: any) =>
      events.push(`${regarding.name} ${type} ${reason}: ${note}`),
  };
  const voice = new RunVoice({
    log: { debug() {}, info: say("info"), warn: say("warn"), error: say("error") },
    clock: createVirtualRuntime().clock,
    controller: "box",
    kind: "Box",
    recorder: hasRecorder ? (recorder as never) : undefined,
    reference: (key) => (key === "gone" ? undefined : ({ name: key } as never)),
  });
  return { voice, said, events };
}

const failure = (because: string) => ({ what: "failed", because, error: new Error(because) });

describe("the voice of a controller", () => {
  it("names a failure, and its end with the number of attempts", () => {
    const { voice, said, events } = arrange();
    voice.succeeded("a");
    voice.failed("a", failure("bar"));
    voice.succeeded("a");
    voice.failed("a", failure("bar"));
    voice.failed("a", failure("bar"));
    voice.succeeded("a");
    assert.deepEqual(said, [
      "error failed: bar [box Box a]",
      "info reconciled after 1 failure [box Box a]",
      "error failed: bar [box Box a]",
      "info reconciled after 2 failures [box Box a]",
    ]);
    assert.deepEqual(events, [
      "a Warning ReconcileError: bar",
      "a Normal Reconciled: reconciled after 1 failure",
      "a Warning ReconcileError: bar",
      "a Warning ReconcileError: bar",
      "a Normal Reconciled: reconciled after 2 failures",
    ]);
  });

  it("reports each kind of mistake under a reason of its own", () => {
    const { voice, said, events } = arrange();
    const codes = [
      "ERR_READ_UNDECLARED",
      "ERR_METADATA_UNDECLARED",
      "ERR_RESULT_UNUSED",
      "ERR_SIGNAL_UNLISTED",
    ] as const;
    for (const code of codes)
      voice.breached("a", { controller: "box", code, object: "Box a", message: "m", hint: "" });
    assert.deepEqual(
      said,
      codes.map((code) => `warn ${code}: m [box Box a]`),
    );
    assert.deepEqual(events, [
      "a Warning UndeclaredRead: m",
      "a Warning UndeclaredRead: m",
      "a Warning UnusedResult: m",
      "a Warning UnlistedSignal: m",
    ]);
  });

  it("does not count the failures of an object that is gone", () => {
    const { voice, said } = arrange();
    voice.failed("a", failure("bar"));
    voice.forget("a");
    voice.succeeded("a");
    assert.equal(said.length, 1);
  });

  it("reports abandoned runs, loops and undeclared reads", () => {
    const { voice, said, events } = arrange();
    voice.abandoned("a", "it hung");
    voice.looped("a", "round and round");
    voice.breached("a", { code: "ERR_UNDECLARED_READ", message: "it reads", hint: "" } as never);
    assert.deepEqual(said, [
      "error abandoned: it hung [box Box a]",
      "warn ERR_RECONCILE_LOOP: round and round [box Box a]",
      "warn ERR_UNDECLARED_READ: it reads [box Box a]",
    ]);
    assert.deepEqual(events, [
      "a Warning DeadlineExceeded: it hung",
      "a Warning ReconcileLoop: round and round",
      "a Warning UndeclaredRead: it reads",
    ]);
  });

  it("makes an Event of conflicts only when they are many in a row", () => {
    const { voice, events } = arrange();
    for (let count = 1; count <= 5; count++) voice.conflicted("a", count, failure("changed"));
    assert.deepEqual(events, ["a Warning Conflict: changed"]);
  });

  it("makes no Event without an object, nor when Events are off", () => {
    const { voice, events } = arrange();
    voice.failed("gone", failure("bar"));
    const silent = arrange({ hasRecorder: false });
    silent.voice.failed("a", failure("bar"));
    assert.deepEqual([...events, ...silent.events], []);
  });
});
