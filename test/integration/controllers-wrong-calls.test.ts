// Calls of a reconcile that have forgotten what they are about: each is an error that says so, and
// no TypeError of the runtime's own code.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, isHomeostatError } from "homeostat";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const noKind = (what: string) =>
  `ERR_KIND_ARGUMENT: ${what}: its first argument is nothing, expected a kind`;
const noName =
  'ERR_CLIENT_NAME: building a request for Part: expected the name of one object without "/" or "%", got nothing';
const noBody =
  "ERR_ARGUMENT: writing a Part: an argument is nothing, expected an object with metadata";

describeLaws("wrong calls", ({ run, client: open }) => {
  it("of own, cache, client and status name what they lack", async () => {
    const said = new Map<string, string>();
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile(context) {
        const { own, cache, client, status } = context as any;
        const calls: Readonly<Record<string, () => unknown>> = {
          "own()": () => own(),
          "own(Part)": () => own(Part),
          "own(Part, [{}])": () => own(Part, [{}]),
          "cache.get()": () => cache.get(),
          "cache.get(Part)": () => cache.get(Part),
          "cache.list()": () => cache.list(),
          "client.get()": () => client.get(),
          "client.get(Part)": () => client.get(Part),
          "client.list()": () => client.list(),
          "client.delete()": () => client.delete(),
          "client.create(Part)": () => client.create(Part),
          "client.update(Part)": () => client.update(Part),
          "client.apply(Part)": () => client.apply(Part),
          "client.upsert(Part)": () => client.upsert(Part),
          "client.upsert(Part, a)": () => client.upsert(Part, "a"),
          "client.upsert(Part, a, fn)": () => client.upsert(Part, "a", () => {}),
          "status()": () => status(),
        };
        for (const [name, call] of Object.entries(calls))
          try {
            await call();
            said.set(name, "accepted");
          } catch (error) {
            said.set(name, isHomeostatError(error) ? error.message : `no code: ${String(error)}`);
          }
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("b", {}));
      await until(() => said.size === 17);
      assert.deepEqual(Object.fromEntries(said), {
        "own()": noKind("own(…)"),
        "own(Part)":
          "ERR_OWN_ARGUMENT: own(Part, …): its second argument is nothing, expected a list",
        "own(Part, [{}])":
          "ERR_OWN_ARGUMENT: own(Part, …): it lists {}, expected a manifest with metadata",
        "cache.get()": noKind("cache.get(…)"),
        "cache.get(Part)":
          "ERR_CLIENT_NAME: cache.get(Part): expected the name of one object, got nothing",
        "cache.list()": noKind("cache.list(…)"),
        "client.get()": noKind("calling context.client"),
        "client.get(Part)": noName,
        "client.list()": noKind("calling context.client"),
        "client.delete()": noKind("calling context.client"),
        "client.create(Part)": noBody,
        "client.update(Part)": noBody,
        "client.apply(Part)": noBody,
        "client.upsert(Part)":
          "ERR_ARGUMENT: client.upsert(Part undefined, …): an argument is nothing, expected a function that returns the object",
        "client.upsert(Part, a)":
          "ERR_ARGUMENT: client.upsert(Part a, …): an argument is nothing, expected a function that returns the object",
        "client.upsert(Part, a, fn)":
          "ERR_ARGUMENT: client.upsert(Part a, …) with what its function returns: an argument is nothing, expected an object with metadata",
        "status()":
          "ERR_ARGUMENT: status(…): an argument is nothing, expected an object with its fields",
      });
    });
  });

  it("of a client as well", async () => {
    const client = (await open()) as any;
    for (const call of [() => client.get(), () => client.list(), () => client.delete()])
      await assert.rejects(async () => call(), { message: noKind("calling a client") });
    await assert.rejects(async () => client.get(Part), { message: noName });
  });
});
