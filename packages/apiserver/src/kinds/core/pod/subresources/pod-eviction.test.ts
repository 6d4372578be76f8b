import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { ConnectTools } from "../../../../apimachinery/rest/connecter.ts";
import { at, context, create, plain, pods, untouched } from "../pod.suite.ts";

test("a budget that allows no disruptions refuses an eviction", async () => {
  const eviction = pods.subresources.get("eviction")!;
  assert.ok(eviction.at === "connect");
  const { pod } = create(plain, { labels: { app: "x" } });
  at(pod, "status")["phase"] = "Running";
  at(pod, "status")["conditions"] = [{ type: "Ready", status: "True" }] as unknown as JsonObject;
  const budget: JsonObject = {
    metadata: { name: "b" },
    spec: { selector: { matchLabels: { app: "x" } } },
    status: { observedGeneration: 7, disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 },
  };
  const tools: ConnectTools = {
    ...untouched,
    list: () => [budget],
    overwriteOther: async (_kind, _name, edit) => edit(budget),
  };
  await assert.rejects(
    eviction.handle(pod, { metadata: { name: "p" } }, context(), tools),
    /Cannot evict pod as it would violate the pod's disruption budget/,
  );
  at(budget, "status")["disruptionsAllowed"] = 1 as unknown as JsonObject;
  assert.equal(
    (await eviction.handle(pod, { metadata: { name: "p" } }, context(), tools)).status,
    201,
  );
  assert.deepEqual(
    [
      at(budget, "status")["disruptionsAllowed"],
      Object.keys(at(budget, "status", "disruptedPods")),
    ],
    [0, ["p"]],
  );
  assert.equal(at(budget, "status", "conditions", 0)["observedGeneration"], 7);
});

test("an eviction has the options of a delete, which are validated last", async () => {
  const eviction = pods.subresources.get("eviction")!;
  assert.ok(eviction.at === "connect");
  const { handle, precheck } = eviction;
  const { pod } = create(plain);
  const done: string[] = [];
  const tools: ConnectTools = {
    ...untouched,
    overwrite: async () => void done.push("marked"),
    remove: async () => void done.push("removed"),
  };
  const evict = (deleteOptions: JsonObject): Promise<unknown> =>
    handle(pod, { metadata: { name: "p" }, deleteOptions }, context(), tools);
  const asked = { name: "p", namespace: "ns", dryRun: false };
  assert.throws(
    () => precheck!({ metadata: { name: "q" } }, asked),
    /name in URL does not match name in Eviction object/,
  );
  assert.throws(
    () =>
      precheck!(
        {
          metadata: { name: "p" },
          deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true },
        },
        asked,
      ),
    /^.*Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set/,
  );
  const dry = (dryRun: string[]): void =>
    precheck!({ metadata: { name: "p" }, deleteOptions: { dryRun } }, { ...asked, dryRun: true });
  dry(["All"]);
  assert.throws(
    () => dry(["Some"]),
    /Non-matching dry-run options in request and content: \[All\] and \[Some\]/,
  );
  await assert.rejects(
    evict({ dryRun: ["Some"] }),
    /DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: \["Some"\]: supported values: "All"/,
  );
  assert.deepEqual(done, []);
  await assert.rejects(
    evict({ propagationPolicy: "Nope" }),
    /propagationPolicy: Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil"/,
  );
  await evict({ dryRun: ["All"] });
  assert.deepEqual(done, ["marked", "removed"]);
});

test("an eviction whose preconditions fail leaves the pod unchanged; resourceVersion is compared once", async () => {
  const eviction = pods.subresources.get("eviction")!;
  assert.ok(eviction.at === "connect");
  const { pod } = create(plain);
  Object.assign(at(pod, "metadata"), { uid: "u1", resourceVersion: "7" });
  const removed: unknown[] = [];
  const tools: ConnectTools = {
    ...untouched,
    overwrite: async (edit) => edit(pod),
    remove: async (options) => void removed.push([options.uid, options.resourceVersion]),
  };
  const evict = (preconditions: JsonObject): Promise<unknown> =>
    eviction.handle(
      pod,
      { metadata: { name: "p" }, deleteOptions: { preconditions } },
      context(),
      tools,
    );
  await assert.rejects(
    evict({ uid: "u2" }),
    /on Pod "p": the UID in the precondition \(u2\) does not match the UID in record \(u1\). The object might have been deleted and then recreated$/,
  );
  await assert.rejects(
    evict({ resourceVersion: "6" }),
    /on Pod "p": the ResourceVersion in the precondition \(6\) does not match the ResourceVersion in record \(7\). The object might have been modified$/,
  );
  assert.equal((pod["status"] as JsonObject)["conditions"], undefined);
  await evict({ uid: "u1", resourceVersion: "7" });
  assert.deepEqual(removed, [["u1", undefined]]);
  assert.equal(at(pod, "status", "conditions", 0)["type"], "DisruptionTarget");
});
