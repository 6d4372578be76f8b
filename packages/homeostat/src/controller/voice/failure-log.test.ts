// One line for a failure, its stack once, nothing in full twice.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiStatusError, type Status } from "../../api/status.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { ConflictLog } from "./conflict-log.ts";
import { FailureLog } from "./failure-log.ts";

function arrange() {
  const runtime = createVirtualRuntime();
  const said: string[] = [];
  const requests: unknown[] = [];
  const say =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (level === "error") requests.push(fields["request"]);
      said.push(
        [level, fields["object"], message, fields["error"] && "+stack"].filter(Boolean).join(" "),
      );
    };
  const log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  const options = { log, clock: runtime.clock, controller: "box", kind: "Box" };
  const failures = new FailureLog(options);
  const error = new TypeError("Cannot read bar");
  const fail = (key: string, because = error.message): void =>
    failures.failed(key, { what: "failed", because, error });
  const take = (): readonly string[] => said.splice(0);
  return { runtime, options, failures, conflicts: new ConflictLog(options), fail, take, requests };
}

describe("FailureLog", () => {
  it("says a failure once in full, its repeats at debug, and again after a minute", async () => {
    const { runtime, fail, take } = arrange();
    fail("a/x");
    assert.deepEqual(take(), [
      "error Box a/x failed: Cannot read bar",
      "debug Box a/x where it failed +stack",
    ]);
    fail("a/x");
    assert.deepEqual(take(), ["debug Box a/x still failing after 2 attempts, failed"]);
    await runtime.advance(60_000);
    fail("a/x");
    assert.deepEqual(take(), [
      "debug Box a/x still failing after 3 attempts, failed",
      "error Box a/x still failing: Cannot read bar",
    ]);
  });

  it("names the request that the server refused, whose message need not", () => {
    const { failures, requests } = arrange();
    const refusal = new ApiStatusError(
      { kind: "Status", code: 500, message: "etcd lost" } as Status,
      { request: "PATCH /api/v1/nodes/n1" },
    );
    const what = "failed";
    failures.failed("a/x", { what, because: "etcd lost", error: refusal });
    const step = new Error("step", { cause: refusal });
    failures.failed("a/y", { what, because: "step", error: step });
    failures.failed("a/z", { what, because: "no oven", error: new Error("no oven") });
    assert.deepEqual(requests, ["PATCH /api/v1/nodes/n1", "PATCH /api/v1/nodes/n1", undefined]);
  });

  it("reminds once a minute of a failure that goes on, however long it does", async () => {
    const { runtime, fail, take } = arrange();
    fail("a/x");
    fail("a/y");
    take();
    const reminders: string[] = [];
    for (let second = 0; second < 150; second++) {
      await runtime.advance(1000);
      fail("a/x");
      reminders.push(...take().filter((line) => line.startsWith("error")));
    }
    const reminder = "error Box a/x and 1 others still failing: Cannot read bar";
    assert.deepEqual(reminders, [reminder, reminder]);
  });

  it("adds the hint and the place in the user's code, where there are any", () => {
    const { options } = arrange();
    const fields: unknown[] = [];
    const error = (_: string, more: unknown): void => void fields.push(more);
    const failures = new FailureLog({
      ...options,
      log: { ...options.log, error },
      locate: (thrown) => (thrown instanceof TypeError ? "main.ts:7" : undefined),
    });
    const failure = { what: "failed", because: "no oven", hint: "buy one" };
    failures.failed("a/x", { ...failure, error: new TypeError("no oven") });
    failures.failed("a/y", { what: "failed", because: "cold", error: "cold" });
    assert.deepEqual(fields, [
      { controller: "box", object: "Box a/x", hint: "buy one", at: "main.ts:7" },
      { controller: "box", object: "Box a/y" },
    ]);
  });

  it("leaves the first line to what has logged the failure, and counts it", () => {
    const { failures, take } = arrange();
    const failure = { what: "failed", because: "no oven", error: new Error("no oven") };
    failures.failed("a/x", { ...failure, isLogged: true });
    assert.deepEqual(take(), []);
    assert.equal(failures.recovered("a/x"), 1);
  });

  it("counts each wave of objects that fail in the same way", async () => {
    const { runtime, failures, fail, take } = arrange();
    const waves: string[] = [];
    for (const size of [8, 7]) {
      for (let i = 0; i < size; i++) fail(`a/x${i}`);
      take();
      await runtime.advance(2000);
      waves.push(...take());
      for (let i = 0; i < size; i++) failures.recovered(`a/x${i}`);
    }
    const rest = "more of Box failed in the same way: Cannot read bar";
    assert.deepEqual(waves, [`error 3 ${rest}`, `error 2 ${rest}`]);
    for (let i = 0; i < 6; i++) fail(`a/x${i}`);
    for (let i = 6; i < 8; i++) {
      await runtime.advance(2000);
      take();
      fail(`a/x${i}`);
    }
    await runtime.advance(2000);
    assert.deepEqual(take(), [`error 1 ${rest}`], "what was counted is not counted again");
  });

  it("says another failure in full; numbers and the object's name make no difference", () => {
    const { fail, take } = arrange();
    fail("a/x", "oven 1 of a/x is cold");
    fail("a/x", "oven 2 of a/x is cold");
    fail("a/x", "no oven");
    assert.deepEqual(
      take().filter((line) => line.startsWith("error")),
      ["error Box a/x failed: oven 1 of a/x is cold", "error Box a/x failed: no oven"],
    );
  });

  it("counts an object with its last failure only", async () => {
    const { runtime, fail, take } = arrange();
    fail("a/x");
    fail("a/x", "no oven");
    fail("a/y");
    await runtime.advance(60_000);
    take();
    fail("a/y");
    assert.match(take().join(), /error Box a\/y still failing/);
  });

  it("says it again after a recovery, but not its stack", () => {
    const { failures, fail, take } = arrange();
    assert.equal(failures.recovered("a/x"), 0);
    fail("a/x");
    fail("a/x");
    assert.equal(failures.recovered("a/x"), 2);
    take();
    fail("a/x");
    assert.deepEqual(take(), ["error Box a/x failed: Cannot read bar"]);
  });

  it("names five objects that fail in the same way, and counts the others", async () => {
    const { runtime, fail, take } = arrange();
    for (let i = 0; i < 40; i++) fail(`a/x${i}`);
    const lines = take();
    assert.equal(lines.filter((line) => line.startsWith("error")).length, 5);
    assert.equal(lines.filter((line) => line.endsWith("+stack")).length, 1);
    await runtime.advance(2000);
    assert.deepEqual(take(), ["error 35 more of Box failed in the same way: Cannot read bar"]);
    await runtime.advance(60_000);
    fail("a/x0");
    assert.match(take().join(), /error Box a\/x0 and 39 others still failing/);
  });
});

describe("ConflictLog", () => {
  it("reports many in a row, at doubling numbers", () => {
    const { conflicts, take } = arrange();
    const failure = { what: "again", because: "changed" };
    const reported = Array.from({ length: 20 }, (_, i) => i + 1).filter((count) =>
      conflicts.conflicted("a/x", count, failure),
    );
    assert.deepEqual(reported, [5, 10, 20]);
    assert.equal(take().filter((line) => line.startsWith("debug")).length, 17);
  });

  it("reports a storm over many objects once a minute", async () => {
    const { runtime, conflicts, take } = arrange();
    const storm = (): number => {
      for (let i = 0; i < 300; i++) conflicts.conflicted(`a/x${i}`, 1, { what: "", because: "" });
      return take().filter((line) => line.startsWith("warn conflict storm: 100 conflicts")).length;
    };
    assert.equal(storm(), 1);
    await runtime.advance(15_000);
    assert.equal(storm(), 0);
    await runtime.advance(60_000);
    assert.equal(storm(), 1);
    await runtime.advance(60_000);
    for (let i = 0; i < 100; i++) {
      if (i > 0 && i % 50 === 0) await runtime.advance(10_001);
      conflicts.conflicted(`a/x${i % 4}`, 1, { what: "", because: "" });
    }
    assert.ok(!take().some((line) => line.startsWith("warn")), "a hundred within ten seconds only");
    for (let i = 0; i < 50; i++) conflicts.conflicted(`a/x${i % 4}`, 1, { what: "", because: "" });
    const [line] = take().filter((one) => one.startsWith("warn"));
    assert.match(line!, /100 conflicts of 4 objects within 10 s, among them Box a\/x2/);
  });
});
