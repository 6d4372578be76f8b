// No run of users' code can overlap another of the same object, write after its end, or end the
// process.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, silentLog } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** A log that keeps errors. */
function recordErrors() {
  const errors: string[] = [];
  return { errors, log: { ...silentLog, error: (message: string) => void errors.push(message) } };
}

describeLaws("run safety", ({ run }) => {
  it("a step that ignores the deadline keeps the object stalled until it settles", async () => {
    let inside = 0;
    let most = 0;
    let runs = 0;
    const controller = defineController(Box, {
      timeout: "50ms",
      async reconcile({ step }) {
        runs++;
        await step("deaf", async () => {
          most = Math.max(most, ++inside);
          await sleep(600);
          inside--;
        });
      },
    });
    const seen: string[] = [];
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("deaf", {}));
        await until(() => runs >= 3);
        assert.equal(most, 1, "two runs overlapped");
        assert.match(
          seen.join(" "),
          /^(running deaf stalled )+(running deaf|running)$/,
          "a stalled run came back to life",
        );
      },
      {
        changed: ({ progress }) =>
          void seen.push(progress.at === "running" ? (progress.step ?? progress.at) : progress.at),
      },
    );
  });

  it("work that ignores its signal after a failed reconcile delays the next one", async () => {
    let inside = 0;
    let most = 0;
    let runs = 0;
    let signalled = false;
    const controller = defineController(Box, {
      async reconcile({ step }) {
        runs++;
        const work = step("deaf", async (signal) => {
          most = Math.max(most, ++inside);
          await sleep(150);
          signalled ||= signal.aborted;
          inside--;
        });
        await Promise.all([work, Promise.reject(new Error("the other one fails"))]);
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("failing", {}));
      await until(() => runs >= 3);
      assert.equal(most, 1, "two runs overlapped");
      assert.equal(signalled, true, "the signal of the step aborts when the reconcile fails");
    });
  });

  it("names every call that was started and not awaited, failed or not", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, client }) {
        if (object.metadata.name === "fails")
          void client.patch(ConfigMap, "absent", { data: { a: "b" } });
        else
          void client.create(ConfigMap, {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "made" },
          });
        await sleep(50);
      },
    });
    await run([controller], async (client, manager) => {
      const reported = (name: string, report: RegExp) =>
        until(() => {
          const state = manager.states().find((one) => one.key.endsWith(`/${name}`));
          return state?.progress.at === "retrying" && report.test(state.progress.because);
        });
      await client.create(Box, Box("fails", {}));
      await client.create(Box, Box("succeeds", {}));
      await reported(
        "fails",
        /ERR_NOT_AWAITED: client\.patch\(ConfigMap absent\), which failed \(.*not found.*\), of Box/,
      );
      await reported("succeeds", /ERR_NOT_AWAITED: client\.create\(ConfigMap\) of Box/);
    });
  });

  it("a call that loses a race and only reads is no mistake", async () => {
    const controller = defineController(Box, {
      async reconcile({ client, status }) {
        await Promise.race([client.list(ConfigMap), sleep(0)]);
        status({ count: 1 });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("race", {}));
      await until(async () => (await client.get(Box, "race")).status?.count === 1);
    });
  });

  it("refuses calls after the end of a reconcile, and reports them", async () => {
    const { errors, log } = recordErrors();
    const refusals: string[] = [];
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ client, own, step, status, condition, signal }) {
        if (refusals.length > 0) return;
        const refused = (error: unknown): void => void refusals.push(String(error));
        setTimeout(() => {
          assert.equal(signal.aborted, true);
          client.patch(Box, "over", { spec: { label: "late" } }).catch(refused);
          own(Part, []).catch(refused);
          step("late", () => Promise.resolve()).catch(refused);
          for (const set of [() => status({ count: 7 }), () => condition("Ready", "True", "R")])
            try {
              set();
            } catch (error) {
              refused(error);
            }
        }, 30);
      },
    });
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("over", {}));
        await until(() => refusals.length === 5);
        for (const refusal of refusals)
          assert.match(refusal, /ERR_RUN_ENDED: .* of Box .*\/over: its reconcile has ended/);
        assert.match(errors.join("\n"), /ERR_RUN_ENDED: client\.patch\(Box over\)/);
        assert.equal((await client.get(Box, "over")).spec.label, undefined);
      },
      { log },
    );
  });

  it("survives a log that throws and one that rejects", async () => {
    const broken = [
      () => {
        throw new Error("the log is full");
      },
      () => Promise.reject(new Error("the log is gone")),
    ];
    for (const say of broken as readonly (() => void)[]) {
      const controller = defineController(Box, {
        async reconcile({ object, log, status }) {
          log.info("hello", {
            get mean(): never {
              throw new Error("a field that throws");
            },
          });
          if (object.spec.label === undefined) throw new Error("reported to the broken log");
          status({ count: 1 });
        },
      });
      await run(
        [controller],
        async (client) => {
          await client.create(Box, Box("mute", {}));
          await sleep(30);
          await client.patch(Box, "mute", { type: "merge", body: { spec: { label: "on" } } });
          await until(async () => (await client.get(Box, "mute")).status?.count === 1);
        },
        { log: { debug: say, info: say, warn: say, error: say } },
      );
    }
  });

  it("survives whatever reconcile throws", async () => {
    const trap = (): never => {
      throw new Error("trap");
    };
    const thrown: readonly unknown[] = [
      Object.create(null),
      Object.defineProperty(new Error("x"), "message", { get: trap }),
      new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap }),
      undefined,
      1n,
    ];
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile({ status }) {
        const next = thrown[runs++];
        if (runs <= thrown.length) throw next;
        status({ count: 1 });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("odd", {}));
      await until(async () => (await client.get(Box, "odd")).status?.count === 1);
      assert.ok(runs > thrown.length);
    });
  });
});
