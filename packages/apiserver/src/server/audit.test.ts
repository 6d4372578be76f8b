// What audit events say of webhooks, time and refused requests. Whole events are compared with
// upstream's in test/audit.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import type { AuditLevel } from "../apimachinery/audit.ts";
import type { AuditEvent } from "../audit/audit-event.ts";
import type { AuditPolicy } from "../audit/audit-policy.ts";
import { openAudit } from "../audit/open-audit.ts";
import { createTestServer, widgetsPath } from "./testdata/test-server.ts";
import { addData, configMap, configMaps, merge, WebhookServer } from "./testdata/webhook-server.ts";

/** A server that records, and what it has recorded since the last call. */
async function recorded(
  t: TestContext,
  policy: AuditPolicy | AuditLevel,
): Promise<{ readonly server: WebhookServer; take(): readonly AuditEvent[] }> {
  const server = new WebhookServer(t);
  const events: AuditEvent[] = [];
  const { auditor, stream } = await openAudit({ policy }, { runtime: server.runtime, warn() {} });
  stream!.subscribe((event) => events.push(event));
  // The requests by which the server sets itself up are not recorded.
  await server.ask("GET", configMaps);
  server.auditor = auditor;
  return { server, take: () => events.splice(0) };
}

/** The annotations of the last event, those of authorization left out. */
function annotationsOf(events: readonly AuditEvent[]): Readonly<Record<string, unknown>> {
  const all = Object.entries(events.at(-1)?.annotations ?? {});
  return Object.fromEntries(all.filter(([key]) => !key.startsWith("authorization.k8s.io/")));
}

const final: AuditPolicy = { rules: [{ level: "Request" }], omitStages: ["RequestReceived"] };

test("mutating webhooks leave what they changed, said and failed to do", async (t) => {
  const { server, take } = await recorded(t, final);
  const open = { failurePolicy: "Ignore" };
  await server.register(
    "mutating",
    { name: "a.x.io", reinvocationPolicy: "IfNeeded" },
    { name: "b.x.io" },
    { name: "c.x.io", ...open },
    { name: "d.x.io", objectSelector: { matchLabels: { no: "one" } } },
    { name: "e.x.io", ...open },
  );
  server.judge = (_, path): JsonObject | string => {
    if (path === "/b.x.io")
      return {
        ...addData("b", "<1>"),
        auditAnnotations: { why: "<b>", "no key!": "x", "a/b": "x" },
      };
    return path === "/a.x.io" ? {} : "no review";
  };
  take();
  await server.ask("POST", configMaps, configMap("a", { data: { a: "0" } }));
  const called = (webhook: string, mutated: boolean): string =>
    `{"configuration":"mutating-a-x-io-b-x-io-c-x-io-d-x-io-e-x-io","webhook":"${webhook}","mutated":${mutated}}`;
  assert.deepEqual(annotationsOf(take()), {
    "b.x.io/why": "<b>",
    "failed-open.mutation.webhook.admission.k8s.io/round_0_index_2": "c.x.io",
    "failed-open.mutation.webhook.admission.k8s.io/round_0_index_4": "e.x.io",
    "mutation.webhook.admission.k8s.io/round_0_index_0": called("a.x.io", false),
    "mutation.webhook.admission.k8s.io/round_0_index_1": called("b.x.io", true),
    "mutation.webhook.admission.k8s.io/round_0_index_2": called("c.x.io", false),
    "mutation.webhook.admission.k8s.io/round_0_index_4": called("e.x.io", false),
    "mutation.webhook.admission.k8s.io/round_1_index_0": called("a.x.io", false),
    "patch.webhook.admission.k8s.io/round_0_index_1": `${called("b.x.io", true).replace(/,"mutated".*/, "")},"patch":[{"op":"add","path":"/data/b","value":"\\u003c1\\u003e"}],"patchType":"JSONPatch"}`,
  });
});

test("at level Metadata the patches of webhooks are left out", async (t) => {
  const { server, take } = await recorded(t, "Metadata");
  await server.register("mutating", { name: "a.x.io" });
  server.judge = () => addData("a", "1");
  await server.ask("POST", configMaps, configMap("a", { data: { a: "0" } }));
  assert.deepEqual(Object.keys(annotationsOf(take())), [
    "mutation.webhook.admission.k8s.io/round_0_index_0",
  ]);
});

test("to upstream any patch of an object with new managedFields changes it", async (t) => {
  const { server, take } = await recorded(t, final);
  await server.register("mutating", { name: "a.x.io" });
  server.judge = () => addData("a", "1");
  const mutated = () =>
    /"mutated":(\w+)/.exec(
      String(annotationsOf(take())["mutation.webhook.admission.k8s.io/round_0_index_0"]),
    )?.[1];
  await server.ask("POST", configMaps, configMap("a", { data: { a: "1" } }));
  assert.equal(mutated(), "true");
  await server.ask("PATCH", `${configMaps}/a`, {}, merge);
  assert.equal(mutated(), "false");
});

test("validating webhooks leave what they said and failed to do, also when they refuse", async (t) => {
  const { server, take } = await recorded(t, final);
  await server.register(
    "validating",
    { name: "a.x.io" },
    { name: "b.x.io", failurePolicy: "Ignore" },
    { name: "c.x.io" },
  );
  server.judge = (_, path) => {
    if (path === "/b.x.io") return "no review";
    const allowed = path !== "/c.x.io";
    return { allowed, auditAnnotations: { why: path }, status: { message: "no", code: 403 } };
  };
  take();
  const { status } = await server.ask("POST", configMaps, configMap("a"));
  const events = take();
  assert.equal(status, 403);
  assert.equal(events.at(-1)?.responseStatus?.code, 403);
  assert.deepEqual(annotationsOf(events), {
    "a.x.io/why": "/a.x.io",
    "c.x.io/why": "/c.x.io",
    "failed-open.validating.webhook.admission.k8s.io/round_0_index_1": "b.x.io",
  });
});

test("slow requests tell what they waited for, watches do not", async (t) => {
  const { server, take } = await recorded(t, final);
  await server.register("validating", { name: "a.x.io" }, { name: "b.x.io" });
  await server.register("mutating", { name: "c.x.io" }, { name: "d.x.io" });
  server.judge = async () => void (await server.runtime.advance(200));
  take();
  await server.ask("POST", configMaps, configMap("a"));
  const annotations = annotationsOf(take());
  const latency = (phase: string): unknown => annotations[`apiserver.latency.k8s.io/${phase}`];
  assert.equal(latency("mutating-webhook"), "400ms");
  assert.equal(latency("validating-webhook"), "200ms");
  assert.equal(latency("total"), "600ms");
  server.judge = async () => void (await server.runtime.advance(100));
  await server.ask("POST", configMaps, configMap("b"));
  assert.equal(
    Object.keys(annotationsOf(take())).some((key) => /latency/.test(key)),
    false,
  );
});

test("a watch is recorded when it begins and when either side ends it", async () => {
  const events: AuditEvent[] = [];
  const parts = { runtime: createVirtualRuntime(), warn() {} };
  const { auditor, stream } = await openAudit({ policy: "Metadata" }, parts);
  const { core, watch } = await createTestServer({ audit: auditor! });
  stream!.subscribe((event) => events.push(event));
  const stages = (): readonly string[] => events.splice(0).map(({ stage }) => stage);
  const closed = await watch(`${widgetsPath}?watch=1`);
  assert.deepEqual(stages(), ["RequestReceived", "ResponseStarted"]);
  closed.close();
  closed.close();
  assert.deepEqual(stages(), ["ResponseComplete"]);
  const ended = await watch(`${widgetsPath}?watch=1`);
  stages();
  await core.close();
  assert.equal(ended.ended(), true);
  assert.deepEqual(stages(), ["ResponseComplete"]);
  ended.close();
  assert.deepEqual(stages(), []);
});

test("a request without a policy that wants it leaves no trace", async (t) => {
  const { server, take } = await recorded(t, { rules: [{ level: "Metadata", verbs: ["get"] }] });
  await server.ask("POST", configMaps, configMap("a"));
  assert.deepEqual(take(), []);
  await server.ask("GET", `${configMaps}/a`);
  assert.deepEqual(
    take().map(({ stage, verb }) => [stage, verb]),
    [
      ["RequestReceived", "get"],
      ["ResponseComplete", "get"],
    ],
  );
});
