import assert from "node:assert/strict";
import { it } from "node:test";
import { answerIntrospection, introspectionPath } from "./serve-introspection.ts";

const sources = {
  operator: "shop",
  now: () => 0,
  startedAt: 0,
  inspect: () => [],
  readiness: () => ({ ready: true, reasons: [] }),
  recorded: undefined,
  blocks: () => ({
    times: 1,
    longestMs: 6000,
    last: [{ at: 0, ms: 6000, where: "in the reconcile of orders payroll/ceo" }],
  }),
};

it("names the reconcile that blocked the event loop to those that may see all", async () => {
  const read = (viewer?: { mayGet(): Promise<boolean> }) =>
    answerIntrospection(
      { path: `${introspectionPath}/summary`, query: new URLSearchParams(), viewer },
      sources,
    );
  assert.match((await read()).body, /"where": "in the reconcile of orders payroll\/ceo"/);
  const { body } = await read({ mayGet: async () => false });
  assert.doesNotMatch(body, /payroll/);
  assert.match(body, /"longestMs": 6000/);
});
