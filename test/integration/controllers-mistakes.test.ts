// Common mistakes in controllers: each is reported by name and has no other effect.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  isTerminal,
  defineController,
  defineSignal,
  type Metadata,
  ref,
  retry,
  silentLog,
  terminal,
} from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("mistakes", ({ run }) => {
  it("an own() that is not awaited is reported and has no other effect", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      reconcile({ object, own }) {
        void own(Part, [Part(`${object.metadata.name}_BAD`, { of: "x" })]);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("careless", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(
        JSON.stringify(state.progress),
        /ERR_NOT_AWAITED: own\(Part, …\) of Box .* was not awaited.*write `await` in front of it/,
      );
    });
  });

  it("a throwing `changed` callback is reported and has no other effect", async () => {
    const errors: string[] = [];
    const controller = defineController(Box, {
      async reconcile({ status }) {
        status({ count: 1 });
      },
    });
    const options = {
      changed: () => {
        throw new Error("ouch");
      },
      log: { ...silentLog, error: (message: string) => void errors.push(message) },
    };
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("watched", {}));
        await until(async () => (await client.get(Box, "watched")).status?.count === 1);
        assert.match(errors[0]!, /`changed` callback threw/);
      },
      options,
    );
  });

  it("a patch in the form of the client's is refused, not pruned by the server", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, client }) {
        const patch = { type: "merge", body: { spec: { label: "a" } } };
        await client.patch(Box, object.metadata.name, patch as object);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("patched", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(
        JSON.stringify(state.progress),
        /ERR_CLIENT_REQUEST: client\.patch\(Box\): expected the fields to change.*Pass the body alone/,
      );
    });
  });

  it("what the API server warns of is logged once", async () => {
    const warnings: string[] = [];
    const log = {
      ...silentLog,
      warn: (message: string, fields?: object) =>
        void warnings.push(`${message} ${JSON.stringify(fields)}`),
    };
    const controller = defineController(Box, {
      async reconcile({ object, client, status }) {
        const { name } = object.metadata;
        await client.patch(Box, name, { spec: { label: "a", lable: "b" } });
        status({ count: 1 });
      },
    });
    await run(
      [controller],
      async (client) => {
        for (const name of ["one", "two"]) await client.create(Box, Box(name, {}));
        await until(async () => (await client.get(Box, "one")).status?.count === 1);
        await until(async () => (await client.get(Box, "two")).status?.count === 1);
        const said = warnings.filter((line) => line.includes("unknown field"));
        assert.equal(said.length, 1, warnings.join("\n"));
        assert.match(
          said[0]!,
          /^the API server warns: unknown field "spec\.lable" \{"request":"PATCH \/apis\/.*\/boxes\/(one|two)"\}$/,
        );
      },
      { log },
    );
  });

  it("a reference out of the namespace that is watched is an error, not a wait", async () => {
    const controller = defineController(Box, {
      refs: { boss: ref(ConfigMap, () => ({ namespace: "kube-system", name: "boss" })) },
      async reconcile({ wait }) {
        return wait.forRef("boss");
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("far", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(JSON.stringify(state.progress), /ERR_REF_NAMESPACE/);
    });
  });

  it("a reference that cannot be resolved does not block the deletion", async () => {
    const warnings: string[] = [];
    const finalized: unknown[] = [];
    const controller = defineController(Box, {
      refs: {
        boss: ref(ConfigMap, (box) => {
          if (box.spec.label === "bad") throw new Error("a bad selector");
          return undefined;
        }),
      },
      async reconcile() {},
      async finalize({ refs: { boss } }) {
        finalized.push(boss);
      },
    });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box("leaving", {}));
        await until(async () => (await client.get(Box, "leaving")).metadata.finalizers?.length);
        await client.patch(Box, "leaving", { type: "merge", body: { spec: { label: "bad" } } });
        await until(() => manager.states().some(({ progress }) => progress.at === "retrying"));
        await client.delete(Box, "leaving");
        await until(async () => (await client.find(Box, "leaving")) === undefined);
        assert.deepEqual(finalized, [undefined]);
        assert.match(warnings.join(), /finalize runs without reference "boss": a bad selector/);
      },
      { log: { ...silentLog, warn: (message: string) => void warnings.push(message) } },
    );
  });

  it("a result that is made and not returned is reported once", async () => {
    const warnings: string[] = [];
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile({ object, wait, retry: again }) {
        runs++;
        const { name } = object.metadata;
        if (name === "waits") wait.for("something");
        if (name === "retries") again.in("1h");
        if (name === "retries-too") retry.in("1h");
        if (name === "ends") terminal("hopeless");
        const later = again.in("1h");
        if (name === "chooses") return wait.for("something else");
        if (name === "good") return later;
      },
    });
    const log = {
      ...silentLog,
      warn: (message: string, fields?: Readonly<Record<string, unknown>>) =>
        void warnings.push(
          `${String(fields?.["object"]).split("/")[1]} ${message.split(" has")[0]}`,
        ),
    };
    await run(
      [controller],
      async (client) => {
        for (const name of ["waits", "retries", "retries-too", "ends", "chooses", "good"])
          await client.create(Box, Box(name, {}));
        await until(() => runs >= 6);
        const before = runs;
        await client.patch(Box, "waits", { type: "merge", body: { spec: { label: "again" } } });
        await until(() => runs > before);
        assert.deepEqual(warnings.toSorted(), [
          "ends ERR_RESULT_UNUSED: retry.in(…)",
          "ends ERR_RESULT_UNUSED: terminal(…)",
          "retries ERR_RESULT_UNUSED: retry.in(…)",
          "retries-too ERR_RESULT_UNUSED: retry.in(…)",
          "waits ERR_RESULT_UNUSED: retry.in(…)",
          "waits ERR_RESULT_UNUSED: wait.for(…)",
        ]);
      },
      { log },
    );
  });

  it("a terminal error that was thrown and caught is not reported, nor one that is asked for", async () => {
    const refuse = async (): Promise<void> => {
      throw terminal("refused");
    };
    const make = () => terminal("made");
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile({ object, retry: again }) {
        runs++;
        await refuse().catch(() => {});
        if (object.metadata.name === "asks") {
          const { length } = [make()].filter((one) => isTerminal(one));
          assert.equal(length, 1);
        }
        if (object.metadata.name === "forgets") make();
        if (object.metadata.name === "throws") throw again.in("1h");
      },
    });
    await run([controller], async (client, manager) => {
      for (const name of ["asks", "forgets", "throws"]) await client.create(Box, Box(name, {}));
      await until(() => runs >= 3 && manager.isIdle());
      assert.deepEqual(
        manager.breaches().map(({ code, object }) => `${code} ${object.split("/")[1]}`),
        ["ERR_RESULT_UNUSED forgets"],
      );
      const thrown = manager.states().find(({ key }) => key.endsWith("throws"))!;
      assert.match(
        JSON.stringify(thrown.progress),
        /"because":"ERR_RECONCILE_RESULT: reconcile of .* threw what wait\.for.*"hint":"return it"/,
      );
    });
  });

  it("a reconcile that returns another framework's result, or an error, is told what to do", async () => {
    const controller = defineController(Box, {
      reconcile: (async ({ object }: { readonly object: { readonly metadata: Metadata } }) =>
        object.metadata.name === "error" ? terminal("no") : { requeueAfter: 5 }) as never,
    });
    await run([controller], async (client, manager) => {
      for (const name of ["result", "error"]) await client.create(Box, Box(name, {}));
      const states = await until(() => {
        const failing = manager.states().filter((one) => one.progress.at === "retrying");
        return failing.length === 2 && JSON.stringify(failing);
      });
      assert.match(states, /returned \{ requeueAfter: 5 \}; .*"hint":"return wait\.for/);
      assert.match(states, /returned an error \(no\); .*"hint":"throw it"/);
    });
  });

  it("a status field that the schema lacks is named, with those it has", async () => {
    const controller = defineController(Box, {
      async reconcile({ status }) {
        (status as (fields: object) => void)({ notes: "x" });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("typo", {}));
      const said = await until(() => {
        const { progress } = manager.states()[0] ?? {};
        return progress?.at === "retrying" && JSON.stringify(progress);
      });
      assert.match(
        said,
        /ERR_UNDECLARED: .* sets status\.notes, which Box does not declare; it has /,
      );
      assert.match(said, /it has count, note, seen, tags.*"hint":"add the field to the resource/);
    });
  });

  it("a signal that its controller does not list is named once", async () => {
    const warnings: string[] = [];
    const full = defineSignal({
      name: "full",
      on: Box,
      carrier: { annotation: "laws.example.com/full" },
      setBy: ["box"],
      clearedBy: ["nothing"],
    });
    let runs = 0;
    const uses = (signals: readonly (typeof full)[]) =>
      defineController(Box, {
        signals,
        async reconcile(context) {
          await full.set(context, context.object, String(++runs));
        },
      });
    for (const signals of [[], [full]]) {
      await run(
        [uses(signals)],
        async (client) => {
          runs = 0;
          await client.create(Box, Box("b", {}));
          await until(() => runs > 1);
        },
        { log: { ...silentLog, warn: (message: string) => void warnings.push(message) } },
      );
      const named = warnings.filter((line) => line.includes("ERR_SIGNAL_UNLISTED"));
      assert.deepEqual(named, [
        'ERR_SIGNAL_UNLISTED: "box" sets or clears the signal full (annotation laws.example.com/full), which it does not list',
      ]);
    }
  });

  it("the time for a graceful deletion reaches the server", async () => {
    const controller = defineController(Box, {
      async reconcile({ client, object }) {
        await client.delete(ConfigMap, object.metadata.name, { gracePeriodSeconds: 7 });
      },
    });
    await run([controller], async (client) => {
      const { transport } = client;
      const send = transport.send.bind(transport);
      const bodies: string[] = [];
      transport.send = (request, sink) => {
        if (request.method === "DELETE") bodies.push(new TextDecoder().decode(request.body));
        return send(request, sink);
      };
      await client.create(Box, Box("graceful", {}));
      await until(() => bodies.length > 0);
      transport.send = send;
      assert.equal(JSON.parse(bodies[0]!).gracePeriodSeconds, 7);
    });
  });
});
