// What a run says of its object's progress, and the conditions that show it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { ApiStatusError } from "../../api/status.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { retry, terminal } from "../outcome.ts";
import { createStatusIntent } from "../status-intent.ts";
import { progressTypes, setProgress } from "./progress-conditions.ts";
import { verdictOfError, verdictOfOutcome } from "./verdict.ts";

const kindWith = (conditions: readonly string[], status: unknown = {}): Kind =>
  ({ kind: "Box", definition: { conditions, status } }) as unknown as Kind;

describe("a verdict", () => {
  it("of a run that returned", () => {
    assert.deepEqual(verdictOfOutcome(undefined), { is: "current" });
    assert.deepEqual(verdictOfOutcome(retry.in("5s")), { is: "current" });
    assert.deepEqual(verdictOfOutcome(retry.in("5s", { because: "the oven is hot" })), {
      is: "reconciling",
      reason: "Retrying",
      message: "the oven is hot",
    });
    assert.deepEqual(verdictOfOutcome({ "~outcome": { at: "waiting", what: "Part p" } }), {
      is: "reconciling",
      reason: "Waiting",
      message: "waiting for Part p",
    });
  });

  it("of a run that failed: our code, the server's reason, or ReconcileError", () => {
    const refused = (reason: string) =>
      new ApiStatusError({ kind: "Status", apiVersion: "v1", code: 403, reason } as never);
    const cases: readonly [unknown, string, string][] = [
      [terminal("no such dish"), "stalled", "TerminalError"],
      [new HomeostatError("ERR_OWN_TWICE", "twice", { hint: "" }), "reconciling", "ERR_OWN_TWICE"],
      [refused("Forbidden"), "reconciling", "Forbidden"],
      [refused("not a reason"), "reconciling", "ReconcileError"],
      [refused(`R${"x".repeat(128)}`), "reconciling", "ReconcileError"],
      [new TypeError("bar"), "reconciling", "ReconcileError"],
      [undefined, "reconciling", "ReconcileError"],
    ];
    for (const [error, is, reason] of cases) {
      const verdict = verdictOfError(error);
      assert.deepEqual([verdict.is, verdict.reason], [is, reason]);
    }
    const hostile = new Proxy(
      {},
      {
        has() {
          throw new Error("no");
        },
      },
    );
    assert.equal(verdictOfError(hostile).reason, "ReconcileError");
  });
});

describe("the conditions of progress", () => {
  const stalled = { is: "stalled", reason: "TerminalError", message: "no such dish" } as const;
  const ours = { type: "Stalled", status: "True", reason: "A", message: "b" };
  /** What a verdict sets. */
  const setBy = (
    verdict: Parameters<typeof setProgress>[1],
    { live = [], prior = [] }: { readonly live?: readonly object[]; readonly prior?: object[] },
    kind = kindWith([]),
  ) => {
    const intent = createStatusIntent();
    setProgress(intent, verdict, kind, {
      live: { conditions: live } as never,
      prior: { conditions: prior } as never,
    });
    return [...intent.conditions.entries()];
  };

  it("are those that the controllers do not set themselves, of kinds with a status", () => {
    assert.deepEqual(progressTypes(kindWith([])), ["Reconciling", "Stalled"]);
    assert.deepEqual(progressTypes(kindWith(["Stalled"])), ["Reconciling"]);
    assert.deepEqual(progressTypes({ kind: "Pod" } as Kind), []);
  });

  it("are present while true, and go when they are ours", () => {
    const set = ["Stalled", { type: "Stalled", status: "True", ...stalledFields() }];
    assert.deepEqual(setBy(stalled, {}), [set]);
    assert.deepEqual(setBy(stalled, { live: [ours], prior: [ours] }), [set]);
    assert.deepEqual(setBy({ is: "current" }, { live: [ours], prior: [ours] }), [
      ["Stalled", undefined],
    ]);
    assert.deepEqual(setBy({ is: "current" }, { live: [ours] }), []);
    const { is: _, ...fields } = stalled;
    const reconciling = { is: "reconciling", ...fields } as const;
    assert.deepEqual(setBy(reconciling, { live: [ours], prior: [ours] }), [
      ["Reconciling", { type: "Reconciling", status: "True", ...fields }],
      ["Stalled", undefined],
    ]);
  });

  it("of another manager stay, and what is left of ours goes", () => {
    assert.deepEqual(setBy(stalled, { live: [ours] }), []);
    const { message: _, ...withoutMessage } = ours;
    const { reason: __, ...withoutReason } = ours;
    for (const part of [withoutMessage, withoutReason])
      assert.deepEqual(setBy(stalled, { live: [ours], prior: [part] }), [["Stalled", undefined]]);
  });

  it("have messages of 1024 characters at most", () => {
    const messageOf = (length: number): string => {
      const [[, condition]] = setBy({ ...stalled, message: "x".repeat(length) }, {}) as any;
      return condition.message;
    };
    assert.equal(messageOf(1024), "x".repeat(1024));
    assert.equal(messageOf(1025), `${"x".repeat(1023)}…`);
  });

  const stalledFields = () => ({ reason: stalled.reason, message: stalled.message });
});
