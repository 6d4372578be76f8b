// Audit events of the embedded server in this process and in its log.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { type ApiServerOptions, type AuditEvent, startApiServer } from "@homeostat/apiserver";
import { testCluster } from "@homeostat/testing";
import { createClient } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
after(() => rmSync(folder, { recursive: true }));

/** A server without a port, closed after the test. */
async function start(t: TestContext, options: ApiServerOptions) {
  const server = await startApiServer({ listen: false, controllers: "none", ...options });
  t.after(() => server.close());
  return server;
}

const settings = { metadata: { name: "settings" }, data: { a: "1" } };

test("a test hears what its cluster was asked before it has the answer", async () => {
  await using cluster = await testCluster({ audit: { policy: "Request" } });
  const events: AuditEvent[] = [];
  const stop = cluster.server.audit!.subscribe((event) => events.push(event));
  await cluster.client.create(ConfigMap, settings);
  stop();
  await cluster.client.get(ConfigMap, "settings");
  const [received, completed] = events.filter(({ userAgent }) => userAgent === "test");
  assert.equal(received?.stage, "RequestReceived");
  assert.equal(completed?.stage, "ResponseComplete");
  assert.equal(completed.auditID, received.auditID);
  assert.equal(completed.user.username, "kubernetes-admin");
  assert.deepEqual(completed.objectRef, {
    resource: "configmaps",
    namespace: "default",
    name: "settings",
    apiVersion: "v1",
  });
  assert.deepEqual((completed.requestObject as { readonly data: object }).data, { a: "1" });
  assert.equal(completed.responseStatus?.code, 201);
  assert.equal(completed.sourceIPs, undefined);
});

test("iterating over the events begins when it is asked for, and ends with the server", async (t) => {
  const server = await start(t, {
    audit: { policy: { rules: [{ level: "Metadata", verbs: ["create", "get"] }] } },
  });
  const client = createClient({ transport: server.transport(), userAgent: "me" });
  await client.create(ConfigMap, settings);
  const seen: string[] = [];
  const heard = (async () => {
    for await (const { verb, stage, userAgent } of server.audit!)
      if (userAgent === "me") seen.push(`${verb} ${stage}`);
  })();
  const other = server.audit![Symbol.asyncIterator]();
  await client.get(ConfigMap, "settings");
  const first = await other.next();
  assert.equal(first.value?.verb, "get");
  assert.deepEqual(await other.return?.(), { done: true, value: undefined });
  await server.close();
  assert.equal((await other.next()).done, true);
  await heard;
  assert.deepEqual(seen, ["get RequestReceived", "get ResponseComplete"]);
});

test("a log without a policy is made and stays empty, which is said", async (t) => {
  const logPath = join(folder, "empty", "audit.log");
  const warnings: string[] = [];
  const server = await start(t, {
    audit: { logPath },
    warn: (message) => warnings.push(message),
  });
  assert.equal(server.audit, undefined);
  await server.close();
  assert.equal(readFileSync(logPath, "utf8"), "");
  assert.deepEqual(warnings, ["there is an audit log and no audit policy: no events are recorded"]);
});

test("settings of a log without a path are said to have no effect", async (t) => {
  const warnings: string[] = [];
  await start(t, {
    audit: { policy: "Metadata", logFormat: "legacy", logMaxBackups: 3 },
    warn: (message) => warnings.push(message),
  });
  assert.deepEqual(warnings, [
    "audit.logFormat, audit.logMaxBackups without audit.logPath: no audit log is written",
  ]);
});

test("large events are logged without their bodies, or not at all", async (t) => {
  const logged = async (name: string, logMaxEventBytes?: number): Promise<AuditEvent[]> => {
    const logPath = join(folder, `${name}.log`);
    const server = await start(t, {
      audit: {
        policy: "RequestResponse",
        logPath,
        ...(logMaxEventBytes === undefined ? {} : { logMaxEventBytes }),
      },
    });
    const client = createClient({ transport: server.transport() });
    await client.create(ConfigMap, { ...settings, data: { large: "x".repeat(3000) } });
    await server.close();
    const lines = readFileSync(logPath, "utf8").split("\n").filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ verb, stage }) => verb === "create" && stage === "ResponseComplete");
  };
  const mark = "audit.k8s.io/truncated";
  const [whole] = await logged("whole");
  assert.ok(whole?.requestObject);
  assert.equal(whole.annotations?.[mark], undefined);
  const [bare] = await logged("bare", 2000);
  assert.deepEqual([bare?.requestObject, bare?.responseObject], [undefined, undefined]);
  assert.equal(bare?.annotations?.[mark], "true");
  assert.deepEqual(await logged("none", 100), []);
});

test("the older format of a log has a line of text for each stage", async (t) => {
  const logPath = join(folder, "legacy.log");
  const server = await start(t, {
    audit: { policy: "Metadata", logPath, logFormat: "legacy" },
  });
  const client = createClient({ transport: server.transport(), userAgent: 'my "agent"' });
  await client.create(ConfigMap, settings);
  await server.close();
  const lines = readFileSync(logPath, "utf8")
    .split("\n")
    .filter((line) => /my /.test(line));
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z`;
  const expected = (stage: string, response: string): RegExp =>
    new RegExp(
      `^${time} AUDIT: id="[-0-9a-f]{36}" stage="${stage}" ip="<unknown>" method="create" user="kubernetes-admin" groups="\\\\"system:masters\\\\",\\\\"system:authenticated\\\\"" as="<self>" asgroups="<lookup>" user-agent="my \\\\"agent\\\\"" namespace="default" uri="/api/v1/namespaces/default/configmaps[^"]*" response="${response}"$`,
    );
  assert.match(lines[0]!, expected("RequestReceived", "<deferred>"));
  assert.match(lines[1]!, expected("ResponseComplete", "201"));
});

test("what cannot be read or written stops the start", async () => {
  const policyFile = join(folder, "policy.yaml");
  writeFileSync(policyFile, "apiVersion: audit.k8s.io/v1\nkind: Policy\n");
  const refused = (audit: object) => startApiServer({ listen: false, controllers: "none", audit });
  await assert.rejects(refused({ policyFile }), {
    code: "ERR_SERVER_AUDIT",
    message: `start the API server: audit.policyFile: loaded illegal policy with 0 rules: from file ${policyFile}`,
  });
  await assert.rejects(refused({ policy: "Metadata", logPath: folder }), {
    code: "ERR_SERVER_AUDIT",
    message: /audit\.logPath: EISDIR: .*; name a file that this user can write/,
  });
  await assert.rejects(refused({ policy: "All", logMaxBackups: -1, extra: 1 }), {
    code: "ERR_SERVER_OPTION",
    message:
      /audit\.policy: expected a policy, or a level.*audit\.logMaxBackups: expected a whole number from 0, got -1; audit\.extra: unknown option/,
  });
  await assert.rejects(refused({ policy: "Metadata", policyFile }), { code: "ERR_SERVER_OPTION" });
});

test("a log that cannot be written is said once, and requests go on", async (t) => {
  const warnings: string[] = [];
  const server = await start(t, {
    audit: { policy: "Metadata", logPath: "/dev/full" },
    warn: (message) => warnings.push(message),
  });
  const client = createClient({ transport: server.transport() });
  await client.create(ConfigMap, settings);
  await client.get(ConfigMap, "settings");
  await server.close();
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /^write the audit log \/dev\/full: ENOSPC: .*; events are lost$/);
});
