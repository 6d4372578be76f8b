import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { RunScope } from "./run-scope.ts";

function arrange() {
  const deadline = new AbortController();
  const late: unknown[] = [];
  const scope = new RunScope({
    title: "Box n/a",
    deadline: deadline.signal,
    late: (error) => late.push(error),
  });
  return { scope, deadline, late };
}

const ended = (error: unknown): boolean => isHomeostatError(error, "ERR_RUN_ENDED");
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("the signal of a run", () => {
  it("aborts with the deadline and its reason, whenever it is first read", () => {
    for (const isReadFirst of [true, false]) {
      const { scope, deadline } = arrange();
      if (isReadFirst) assert.equal(scope.signal.aborted, false);
      deadline.abort(new Error("too late"));
      assert.equal(scope.signal.aborted, true);
      assert.equal(scope.signal.reason.message, "too late");
      assert.equal(scope.hasEnded, true);
    }
  });

  it("aborts with the end of the run, and keeps the first reason", () => {
    for (const isReadFirst of [true, false]) {
      const { scope, deadline } = arrange();
      if (isReadFirst) void scope.signal;
      scope.end();
      assert.ok(ended(scope.signal.reason));
      deadline.abort(new Error("too late"));
      assert.ok(ended(scope.signal.reason));
    }
    const { scope, deadline } = arrange();
    void scope.signal;
    deadline.abort(new Error("too late"));
    scope.end();
    assert.equal(scope.signal.reason.message, "too late");
  });
});

describe("what a run starts", () => {
  it("is refused and reported once it has ended", async () => {
    const { scope, late } = arrange();
    let isStarted = false;
    scope.end();
    await assert.rejects(
      scope.call("client.get", async () => (isStarted = true)),
      ended,
    );
    assert.equal(isStarted, false);
    assert.equal(late.length, 1);
    assert.match(String(late[0]), /client\.get of Box n\/a: its reconcile has ended, so nothing/);
  });

  it("is refused and not reported after the deadline, which has been reported", () => {
    const { scope, deadline, late } = arrange();
    deadline.abort(new Error("too late"));
    assert.throws(() => scope.assertRunning("client.get"), /has ended \(.*too late\)/);
    assert.deepEqual(late, []);
  });

  it("is named when nothing awaits it, with its error", async () => {
    const { scope } = arrange();
    void scope.call("first", async () => 1);
    void scope.call("second", () => Promise.reject(new Error("refused")));
    await scope.call("third", async () => 1);
    await tick();
    const error = scope.notAwaited();
    assert.ok(isHomeostatError(error, "ERR_NOT_AWAITED"));
    assert.match(
      error.message,
      /^ERR_NOT_AWAITED: first, second, which failed \(.*refused\), of Box n\/a was not/,
    );
    assert.equal((error.cause as Error).message, "refused");
  });

  it("is named when it is awaited and open, unless it reads", () => {
    const { scope } = arrange();
    const never = new Promise<void>(() => {});
    scope
      .call("read", () => never, { isRead: true })
      .then(
        () => {},
        () => {},
      );
    assert.equal(scope.notAwaited(), undefined);
    scope
      .call("write", () => never)
      .then(
        () => {},
        () => {},
      );
    assert.match(scope.notAwaited()!.message, /^ERR_NOT_AWAITED: write of Box n\/a/);
    assert.deepEqual(scope.open(), ["read", "write"]);
  });

  it("holds the object until all of it has settled, also what starts meanwhile", async () => {
    const { scope } = arrange();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    void scope.hold("first", first.promise);
    let isSettled = false;
    const settled = scope.settled().then(() => (isSettled = true));
    void scope.hold("second", second.promise);
    first.reject(new Error("refused"));
    first.promise.catch(() => {});
    await tick();
    assert.equal(isSettled, false);
    assert.deepEqual(scope.open(), ["second"]);
    second.resolve();
    await settled;
    assert.deepEqual(scope.open(), []);
  });
});

describe("what a run loses", () => {
  it("an error is the run's until it ends, and is reported afterwards", () => {
    const { scope, late } = arrange();
    const lost = new Error("lost");
    scope.stray(lost);
    assert.match(scope.notAwaited()!.message, /: a promise that was rejected \(.*lost\) of/);
    assert.equal(scope.notAwaited()!.cause, lost);
    scope.end();
    scope.stray(new Error("later"));
    assert.deepEqual(late.map(String), ["Error: later"]);
  });

  it("results count until it ends", () => {
    const { scope } = arrange();
    assert.deepEqual(scope.results(), []);
    scope.made("retry.in(…)");
    scope.end();
    scope.made("wait.for(…)");
    assert.deepEqual(scope.results(), ["retry.in(…)"]);
  });

  it("an overtaken write is known by its error", () => {
    const { scope } = arrange();
    const error = new Error("conflict");
    scope.markOvertaken(error);
    assert.equal(scope.wasOvertaken(error), true);
    assert.equal(scope.wasOvertaken(new Error("conflict")), false);
  });
});
