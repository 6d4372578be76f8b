// When an object is reconciled: one attempt at a time, on the latest state, and again after a
// reference changes or an attempt fails.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, ref, refs, silentLog, terminal } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("turns", ({ run }) => {
  it("reconciles one object once at a time, and different objects at the same time", async () => {
    const inside = new Map<string, number>();
    let most = 0;
    let overlapped = false;
    const controller = defineController(Box, {
      concurrency: 3,
      async reconcile({ object }) {
        const { name } = object.metadata;
        inside.set(name, (inside.get(name) ?? 0) + 1);
        overlapped ||= inside.get(name)! > 1;
        most = Math.max(most, [...inside.values()].filter((n) => n > 0).length);
        await sleep(50);
        inside.set(name, inside.get(name)! - 1);
      },
    });
    await run([controller], async (client, manager) => {
      await Promise.all(["a", "b", "c"].map((name) => client.create(Box, Box(name, {}))));
      for (let i = 0; i < 10; i++)
        await client.patch(Box, "a", { type: "merge", body: { spec: { label: String(i) } } });
      await until(() => manager.isIdle() && most > 0);
      assert.equal(overlapped, false);
      assert.ok(most > 1, `at most ${most} at once`);
    });
  });

  it("reads its own writes in reconcile, however late the watch", async () => {
    const seen: number[] = [];
    const controller = defineController(Box, {
      async reconcile({ object, status, retry }) {
        const count = object.status.count ?? 0;
        seen.push(count);
        if (count >= 30) return;
        status({ count: count + 1 });
        return retry.in(0, { because: "counting" });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("counter", {}));
      await until(() => seen.includes(30));
      for (let i = 1; i < seen.length; i++)
        assert.ok(seen[i]! >= seen[i - 1]!, `read ${seen[i]} after ${seen[i - 1]}`);
      assert.deepEqual(
        [...new Set(seen)],
        Array.from({ length: 31 }, (_, i) => i),
        "no count was skipped or repeated after its write",
      );
    });
  });

  it("wakes the objects that refer to another when it appears, changes and is deleted", async () => {
    const controller = defineController(Box, {
      refs: {
        friend: ref(ConfigMap, (box) => box.spec.friend),
        parts: refs(Part, (box) => box.spec.parts),
      },
      async reconcile({ refs: { friend, parts }, status, wait }) {
        status({
          note: (friend as { data?: { word?: string } } | undefined)?.data?.word ?? "nobody",
          seen: parts.map((part) => part.metadata.name),
        });
        if (!friend) return wait.forRef("friend");
      },
    });
    await run([controller], async (client, manager) => {
      const note = async () => (await client.get(Box, "lonely")).status?.note;
      await client.create(Box, Box("lonely", { friend: "pal", parts: ["p1", "p2"] }));
      await until(async () => (await note()) === "nobody");
      await until(() =>
        manager
          .states()
          .some((one) => one.progress.at === "waiting" && one.progress.what === 'ConfigMap "pal"'),
      );
      await client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "pal" },
        data: { word: "hello" },
      });
      await until(async () => (await note()) === "hello");
      await client.patch(ConfigMap, "pal", { type: "merge", body: { data: { word: "bye" } } });
      await until(async () => (await note()) === "bye");
      await client.patch(ConfigMap, "pal", { type: "merge", body: { data: { unread: "x" } } });
      await until(() =>
        manager
          .explain(Box, `${client.namespace}/lonely`)[0]
          ?.queue?.lastCauses.some(
            (cause) =>
              cause.source === "ref friend" && /^ConfigMap .*\/pal changed$/.test(cause.what),
          ),
      );
      await client.create(Part, Part("p2", { of: "x" }));
      await until(async () => (await client.get(Box, "lonely")).status.seen?.join() === "p2");
      await client.delete(ConfigMap, "pal");
      await until(async () => (await note()) === "nobody");
    });
  });

  it("tries again with growing delays, and stalls on a terminal error until the object changes", async () => {
    const attempts: number[] = [];
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        if (object.spec.label === "hopeless") throw terminal("nobody can do that");
        attempts.push(performance.now());
        if (attempts.length < 6) throw new Error("not yet");
        status({ count: 6 });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("retry", {}));
      await until(async () => (await client.get(Box, "retry")).status?.count === 6);
      // A load can only add to a delay: the bounds are the back-off's own, from 5 ms, doubling.
      for (let k = 0; k < 5; k++) {
        const waited = attempts[k + 1]! - attempts[k]!;
        assert.ok(waited >= 5 * 2 ** k, `attempt ${k + 2} came ${waited} ms after the one before`);
      }
      await client.create(Box, Box("stuck", { label: "hopeless" }));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "stalled"),
      );
      assert.deepEqual(state.progress, { at: "stalled", because: "nobody can do that" });
      await client.patch(Box, "stuck", { type: "merge", body: { spec: { label: null } } });
      await until(async () => (await client.get(Box, "stuck")).status?.count !== undefined);
    });
  });

  it("a reconcile that only triggers itself is reported and throttled", async () => {
    let count = 0;
    const warnings: string[] = [];
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        count++;
        status({ count: (object.status.count ?? 0) + 1 });
      },
    });
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("loop", {}));
        await until(() => warnings.length > 0, { timeoutMs: 60_000 });
        assert.match(
          warnings[0]!,
          /ERR_RECONCILE_LOOP: 1001 consecutive reconciles .* Box status\.count/,
        );
        const found = count;
        await sleep(250);
        assert.ok(count - found < 5, `${count - found} more within 250 ms`);
      },
      { log },
    );
  });
});
