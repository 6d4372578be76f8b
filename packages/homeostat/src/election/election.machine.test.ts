// The decisions of a candidate, step by step.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease, LeaseSpec } from "../k8s/coordination/v1/models.ts";
import {
  type ElectionEffect,
  type ElectionInput,
  electionDue,
  type ElectionState,
  initialElection,
  stepElection,
} from "./election.machine.ts";
import { checkTimings, defaultTimings } from "./election-timings.ts";

const limits = { ...defaultTimings, identity: "me" };
const wallAt0 = Date.UTC(2026, 0, 1);

/** A candidate, and what it asked for. */
class Candidate {
  state: ElectionState = initialElection;
  at = 0;
  /** How far the wall clock runs ahead. */
  ahead = 0;
  chance = 0;

  take(input: ElectionInput): readonly ElectionEffect[] {
    const now = { at: this.at, wall: wallAt0 + this.at + this.ahead, chance: this.chance };
    const step = stepElection(this.state, input, now, limits);
    this.state = step.state;
    return step.effects;
  }

  /** What happens at `at`, where nothing happens before. */
  tick(at: number): readonly string[] {
    this.at = at;
    return names(this.take({ type: "tick" }));
  }

  saw(lease: Lease | undefined, by: "watch" | "read" = "watch"): readonly string[] {
    return names(this.take({ type: "saw", lease, by }));
  }

  wrote(given: LeaseSpec, version = "100"): readonly string[] {
    return names(this.take({ type: "wrote", lease: leaseOf(given, version) }));
  }

  failed(outdated = false): readonly string[] {
    return names(this.take({ type: "failed", outdated, error: "no luck" }));
  }

  get due(): number {
    return electionDue(this.state, limits);
  }
}

function leaseOf(given: LeaseSpec, resourceVersion = "1"): Lease {
  const metadata = { name: "op", namespace: "home", uid: "u", resourceVersion };
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: given,
  } as unknown as Lease;
}

const held = (holderIdentity: string, version = "1", renewTime = "a"): Lease =>
  leaseOf({ holderIdentity, leaseDurationSeconds: 15, leaseTransitions: 4, renewTime }, version);
const mine = (): LeaseSpec => held("me").spec;

const names = (effects: readonly ElectionEffect[]): readonly string[] =>
  effects.map((effect) => {
    if (effect.do === "write") return `write ${effect.spec.holderIdentity}`;
    if (effect.do === "holder") return `holder ${effect.holder}`;
    if (effect.do === "failing") return `failing: ${effect.error}`;
    return effect.do === "lost" ? `lost: ${effect.why}` : effect.do;
  });

/** A standby that has seen another holder at 0. */
function standby(): Candidate {
  const candidate = new Candidate();
  assert.deepEqual(names(candidate.take({ type: "start" })), ["read"]);
  assert.deepEqual(candidate.saw(held("other"), "read"), ["holder other"]);
  candidate.take({ type: "watching", is: true });
  return candidate;
}

/** A leader since 0. */
function leader(): Candidate {
  const candidate = new Candidate();
  candidate.take({ type: "start" });
  assert.deepEqual(candidate.saw(undefined, "read"), ["holder undefined", "write me"]);
  assert.deepEqual(candidate.wrote(mine()), ["holder me", "led"]);
  return candidate;
}

describe("a candidate", () => {
  it("makes the Lease where there is none", () => {
    const candidate = new Candidate();
    candidate.take({ type: "start" });
    const [, write] = candidate.take({ type: "saw", lease: undefined, by: "read" });
    assert.deepEqual(write, {
      do: "write",
      over: undefined,
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
  });

  it("takes an expired Lease at the moment of its expiry, by the Lease's own duration", () => {
    const candidate = standby();
    candidate.at = 1000;
    const spec = { ...held("other").spec, leaseDurationSeconds: 3, acquireTime: "then" };
    const theirs = leaseOf(spec, "2");
    assert.deepEqual(candidate.saw(theirs), []);
    assert.equal(candidate.due, 4000);
    assert.deepEqual(candidate.tick(3999.9), []);
    candidate.at = 4000;
    const [write] = candidate.take({ type: "tick" });
    assert.ok(write?.do === "write" && write.over === theirs);
    assert.deepEqual([write.spec.leaseTransitions, write.spec.leaseDurationSeconds], [5, 15]);
    assert.equal(write.spec.acquireTime, "2026-01-01T00:00:04.000000Z");
  });

  it("counts from the local time of the last change, whatever the times in the Lease", () => {
    const candidate = standby();
    for (const at of [5000, 10_000, 14_999]) {
      candidate.at = at;
      candidate.saw(held("other", String(at), String(at)));
    }
    candidate.at = 20_000;
    candidate.saw(held("other", "20000", "14999"));
    assert.deepEqual(candidate.tick(29_998), ["read"]);
    candidate.saw(held("other", "20000", "14999"), "read");
    assert.deepEqual(candidate.tick(29_999), ["write me"]);
  });

  it("takes a released Lease at once", () => {
    const candidate = standby();
    candidate.at = 100;
    assert.deepEqual(candidate.saw(held("", "2")), ["holder undefined", "write me"]);
    assert.deepEqual(candidate.wrote(mine()), ["holder me", "led"]);
  });

  it("takes a Lease without a duration, and without transitions, as Go does", () => {
    const candidate = standby();
    candidate.saw(leaseOf({ holderIdentity: "third", renewTime: "b" }, "2"));
    const { state } = candidate;
    assert.equal(state.asking?.what, "acquire");
    assert.deepEqual(candidate.wrote({ holderIdentity: "me" }), ["holder me", "led"]);
    const [write] = candidate.take({ type: "resign" });
    assert.ok(write?.do === "write");
    assert.equal(write.spec.leaseTransitions, 0);
  });

  it("takes its own Lease at once, as the same holder", () => {
    const candidate = new Candidate();
    candidate.take({ type: "start" });
    const own = leaseOf({ ...mine(), acquireTime: "then" });
    const effects = candidate.take({ type: "saw", lease: own, by: "read" });
    const write = effects.find((effect) => effect.do === "write");
    assert.ok(write?.do === "write");
    assert.deepEqual([write.spec.leaseTransitions, write.spec.acquireTime], [4, "then"]);
  });

  it("leaves a Lease that was deleted to its holder until it would have expired", () => {
    const candidate = standby();
    candidate.at = 3000;
    assert.deepEqual(candidate.saw(undefined), ["holder undefined"]);
    assert.equal(candidate.tick(14_999).includes("write me"), false);
    candidate.saw(undefined, "read");
    assert.deepEqual(candidate.tick(15_000), ["write me"]);
  });

  it("reads what has changed when another was faster", () => {
    const candidate = standby();
    candidate.take({ type: "tick" });
    assert.deepEqual(candidate.saw(held("other", "1"), "read"), []);
    candidate.saw(held("", "2"));
    assert.deepEqual(candidate.failed(true), ["read"]);
    assert.deepEqual(candidate.saw(held("third", "4"), "read"), ["rewatch", "holder third"]);
    assert.equal(candidate.due < 15_000, true, "it still polls");
  });

  it("asks no faster where each write is refused over what was just read", () => {
    const candidate = new Candidate();
    candidate.take({ type: "start" });
    assert.deepEqual(candidate.saw(undefined, "read"), ["holder undefined", "write me"]);
    assert.deepEqual(candidate.failed(true), ["read"]);
    assert.deepEqual(candidate.saw(undefined, "read"), ["write me"]);
    assert.deepEqual(candidate.failed(true), ["failing: no luck"]);
    assert.equal(candidate.due, 2000);
    assert.deepEqual(candidate.tick(2000), ["read"]);
    assert.deepEqual(candidate.saw(undefined, "read"), ["write me"]);
    assert.deepEqual(candidate.failed(true), [], "said once");
    assert.equal(candidate.due, 4000);
  });

  it("asks again after a fault, with jitter", () => {
    for (const [chance, due] of [
      [0, 2000],
      [0.5, 3200],
    ] as const) {
      const candidate = standby();
      candidate.chance = chance;
      candidate.saw(held("", "2"));
      assert.deepEqual(candidate.failed(), ["failing: no luck"]);
      assert.equal(candidate.due, due);
    }
  });

  it("ignores a change that is older than what it knows", () => {
    const candidate = standby();
    candidate.saw(held("third", "12"));
    assert.deepEqual(candidate.saw(held("", "9")), []);
  });

  it("polls without a watch, and where a holder falls silent", () => {
    const watched = standby();
    assert.equal(watched.due, 5000);
    const candidate = standby();
    candidate.take({ type: "watching", is: false });
    assert.equal(candidate.due, 2000);
    assert.deepEqual(candidate.tick(2000), ["read"]);
  });

  it("does not lead by an answer that comes too late", () => {
    const candidate = standby();
    candidate.saw(held("", "2"));
    candidate.at = 10_000;
    assert.deepEqual(candidate.wrote(mine()), ["holder me", "write me"]);
    candidate.at = 10_100;
    assert.deepEqual(candidate.wrote(mine(), "101"), ["led"]);
  });

  it("ends without a write when it resigns", () => {
    assert.deepEqual(names(standby().take({ type: "resign" })), ["ended"]);
  });

  it("ends without waiting for a read that has no answer", () => {
    const candidate = new Candidate();
    candidate.take({ type: "start" });
    assert.deepEqual(names(candidate.take({ type: "resign" })), ["ended"]);
  });

  it("gives up what it gets after it has resigned", () => {
    const candidate = standby();
    candidate.saw(held("", "2"));
    assert.deepEqual(names(candidate.take({ type: "resign" })), []);
    assert.deepEqual(candidate.wrote(mine()), ["holder me", "write "]);
    assert.deepEqual(candidate.wrote(leaseOf({ holderIdentity: "" }).spec), [
      "holder undefined",
      "ended",
    ]);
  });
});

describe("a leader", () => {
  it("renews every retry period from the sending of the last renewal", () => {
    const candidate = leader();
    assert.equal(candidate.due, 2000);
    assert.deepEqual(candidate.tick(1999), []);
    assert.deepEqual(candidate.tick(2000), ["write me"]);
    candidate.at = 2500;
    assert.deepEqual(candidate.wrote(mine()), []);
    assert.equal(candidate.due, 4000);
  });

  it("keeps when it took the Lease, and how often it changed hands", () => {
    const candidate = leader();
    candidate.at = 2000;
    const [write] = candidate.take({ type: "tick" });
    assert.ok(write?.do === "write");
    const { acquireTime, leaseTransitions } = write.spec;
    assert.deepEqual([acquireTime, leaseTransitions], [mine().acquireTime ?? acquireTime, 4]);
  });

  it("has lost the Lease at the deadline after the last renewal that succeeded", () => {
    const candidate = leader();
    candidate.tick(2000);
    candidate.at = 2100;
    candidate.failed();
    assert.equal(candidate.due, 4000);
    assert.deepEqual(candidate.tick(4000), ["write me"]);
    assert.equal(candidate.due, 10_000);
    assert.deepEqual(candidate.tick(9999), []);
    assert.deepEqual(candidate.tick(10_000), ["lost: it was not renewed within 10 s: no luck"]);
    assert.equal(candidate.due, Infinity);
    assert.deepEqual(candidate.saw(held("", "200")), []);
  });

  it("has lost it when the answer was read too late, or the machine was suspended", () => {
    const stopped = leader();
    stopped.tick(2000);
    stopped.at = 12_000;
    assert.match(stopped.wrote(mine()).join(), /^lost/);
    const suspended = leader();
    suspended.ahead = 9000;
    assert.deepEqual(suspended.tick(1000), ["lost: it was not renewed within 10 s"]);
  });

  it("has lost it when another holds it, or nobody", () => {
    assert.deepEqual(leader().saw(held("other", "200")), ["holder other", "lost: other holds it"]);
    assert.match(leader().saw(held("", "200")).join(), /lost: its holder was removed/);
  });

  it("reads after a conflict, and goes on where it is still the holder", () => {
    const candidate = leader();
    candidate.tick(2000);
    assert.deepEqual(candidate.failed(true), ["read"]);
    candidate.at = 2050;
    const effects = candidate.saw(leaseOf({ ...mine(), renewTime: "b" }, "150"), "read");
    assert.deepEqual(effects, ["write me"]);
    assert.equal(candidate.state.renewed?.at, 0);
  });

  it("makes the Lease again that was deleted", () => {
    const candidate = leader();
    candidate.at = 500;
    assert.deepEqual(candidate.saw(undefined), ["holder undefined", "write me"]);
    assert.deepEqual(candidate.failed(true), ["read"]);
    assert.match(candidate.saw(held("other", "300"), "read").join(), /lost: other holds it/);
  });

  it("releases it after a renewal that is under way", () => {
    const candidate = leader();
    candidate.tick(2000);
    assert.deepEqual(names(candidate.take({ type: "resign" })), []);
    const effects = candidate.take({ type: "wrote", lease: held("me", "101") });
    const [write] = effects;
    assert.ok(write?.do === "write");
    assert.deepEqual(write.spec, {
      holderIdentity: "",
      leaseDurationSeconds: 1,
      acquireTime: "2026-01-01T00:00:02.000000Z",
      renewTime: "2026-01-01T00:00:02.000000Z",
      leaseTransitions: 4,
    });
  });

  it("does not release what is no longer its own", () => {
    const candidate = leader();
    assert.deepEqual(names(candidate.take({ type: "resign" })), ["write "]);
    assert.deepEqual(candidate.failed(true), ["read"]);
    assert.deepEqual(candidate.saw(held("other", "200"), "read"), ["holder other", "ended"]);
  });

  it("writes one release, also where the server keeps the holder", () => {
    const candidate = leader();
    candidate.take({ type: "resign" });
    assert.deepEqual(candidate.wrote(mine()), ["ended"]);
  });

  it("ends when a release fails", () => {
    const candidate = leader();
    candidate.take({ type: "resign" });
    assert.deepEqual(candidate.failed(), ["ended"]);
  });
});

describe("timings", () => {
  it("are refused by name", () => {
    const problems = (given: object) => checkTimings(given).join("; ");
    assert.equal(problems({}), "");
    assert.match(
      problems({ renewDeadlineMs: 15_000 }),
      /leaseDurationMs is 15000, expected more than renewDeadlineMs, 15000/,
    );
    assert.match(
      problems({ renewDeadlineMs: 2400 }),
      /renewDeadlineMs is 2400, expected more than 1\.2 times retryPeriodMs, 2000/,
    );
    assert.match(
      problems({ leaseDurationMs: 15_500 }),
      /leaseDurationMs is 15500, expected whole seconds/,
    );
    assert.match(
      problems({ retryPeriodMs: 0 }),
      /retryPeriodMs is 0, expected milliseconds above 0/,
    );
    assert.match(problems({ retryPeriodMs: "2s" }), /retryPeriodMs is '2s'/);
    const longest = 2 ** 31 - 1;
    assert.equal(problems({ leaseDurationMs: 2_147_483_000, renewDeadlineMs: 3000 }), "");
    assert.match(problems({ retryPeriodMs: longest + 1 }), /retryPeriodMs is 2147483648/);
    assert.doesNotMatch(problems({ retryPeriodMs: longest }), /above 0/);
  });
});
