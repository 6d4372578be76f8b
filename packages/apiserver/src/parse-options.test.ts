import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiServerOptions } from "./api-server-options.ts";
import { parseOptions } from "./parse-options.ts";

const disabled = async (options: ApiServerOptions): Promise<readonly string[] | undefined> =>
  (await parseOptions(options)).core.plugins?.disable;

test("pods need accounts where they run and a controller creates the accounts", async () => {
  for (const controllers of ["all", ["serviceaccount-controller"], ["*, -job"]] as const)
    assert.deepEqual(await disabled({ controllers, fakeNodes: 1 }), [], String(controllers));
  for (const options of [
    { controllers: "all" },
    { fakeNodes: 1 },
    { controllers: ["all,-serviceaccount"], fakeNodes: 1 },
    { controllers: ["*", "-serviceaccount-controller"], fakeNodes: 1 },
  ] satisfies ApiServerOptions[])
    assert.deepEqual(await disabled(options), ["ServiceAccount"], JSON.stringify(options));
});
