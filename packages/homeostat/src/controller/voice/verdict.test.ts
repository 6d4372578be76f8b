import assert from "node:assert/strict";
import { test } from "node:test";
import type { Progress } from "../object-state.ts";
import { plainRetry, terminal } from "../outcome.ts";
import { verdictOfProgress } from "./verdict.ts";

const thrown = (progress: object, error: unknown): Progress =>
  Object.defineProperty(progress, "error", { value: error }) as Progress;

function said(progress: Progress | undefined): string {
  const verdict = verdictOfProgress(progress);
  return verdict.is === "current"
    ? verdict.is
    : `${verdict.is} ${verdict.reason}: ${verdict.message}`;
}

test("what a controller that stops says of an object is what its last run said", () => {
  const retrying = { at: "retrying", nextAt: 0, failures: 0 } as const;
  const [late, hot] = ["did not end within 1 ms", "the oven is hot"];
  assert.deepEqual(
    [
      said(undefined),
      said({ at: "done" }),
      said({ at: "running" }),
      said({ at: "waiting", what: "two eggs" }),
      said({ ...retrying, because: hot }),
      said({ ...retrying, because: plainRetry }),
      said(thrown({ ...retrying, because: "kaput" }, new Error("kaput"))),
      said({ at: "stalled", because: late }),
      said(thrown({ at: "stalled", because: "no" }, terminal("no"))),
    ],
    [
      "current",
      "current",
      "reconciling Stopped: its controller stopped meanwhile",
      "reconciling Waiting: waiting for two eggs",
      "reconciling Retrying: the oven is hot",
      "current",
      "reconciling ReconcileError: kaput",
      "stalled DeadlineExceeded: did not end within 1 ms",
      "stalled TerminalError: no",
    ],
  );
});
