import assert from "node:assert/strict";
import { test } from "node:test";
import { newCondition, setCondition } from "./job-conditions.ts";
import { now } from "./job-play.suite.ts";

test("a condition is set once, and begins only when it is true", () => {
  const why = { reason: "JobSuspended", message: "Job suspended" };
  const suspended = newCondition("Suspended", "True", why, now);
  assert.equal(setCondition([], newCondition("Suspended", "False", why, now)), undefined);
  assert.deepEqual(setCondition([], suspended), [suspended]);
  assert.equal(
    setCondition([suspended], newCondition("Suspended", "True", why, now + 5000)),
    undefined,
  );
  assert.equal(
    setCondition([suspended], newCondition("Suspended", "False", why, now))?.[0]?.status,
    "False",
  );
});
