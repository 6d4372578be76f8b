import type { Taint, Toleration } from "homeostat/k8s/core/v1";
import assert from "node:assert/strict";
import { test } from "node:test";
import { evictionDelayMs } from "./eviction-delay.ts";

const taint = (key: string, effect: Taint["effect"] = "NoExecute"): Taint => ({
  key,
  value: "v",
  effect,
});
const until = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});

test("only NoExecute evicts pods, and at once without a toleration", () => {
  assert.equal(evictionDelayMs([], []), undefined);
  assert.equal(evictionDelayMs([taint("a", "NoSchedule")], []), undefined);
  assert.equal(evictionDelayMs([taint("a")], []), 0);
  assert.equal(evictionDelayMs([taint("a"), taint("b")], [until("a", 60)]), 0);
});

test("the shortest of the tolerations that are used counts", () => {
  assert.equal(
    evictionDelayMs([taint("a"), taint("b")], [until("a", 60), until("b", 5), until("c", 1)]),
    5000,
  );
  assert.equal(
    evictionDelayMs([taint("a")], [{ key: "a", operator: "Equal", value: "v" }]),
    undefined,
  );
  assert.equal(
    evictionDelayMs([taint("a"), taint("b")], [{ operator: "Exists" }, until("b", 5)]),
    undefined,
  );
  assert.equal(evictionDelayMs([taint("a")], [until("a", 0)]), 0);
  assert.equal(evictionDelayMs([taint("a")], [until("a", -3)]), 0);
});
