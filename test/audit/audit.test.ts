// The audit events of the embedded server against those recorded from the real kube-apiserver.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { policyNames, policyPath, recordingPath } from "./audit-recordings.ts";
import { comparableEvents, sendAuditRequests } from "./send-audit-requests.ts";

for (const name of policyNames)
  test(`audit events by the policy ${name} are upstream's`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "audit-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const logPath = join(folder, "audit.log");
    const warnings: string[] = [];
    const server = await startApiServer({
      controllers: "none",
      tokens: new Map([["secret", { name: "admin", uid: "admin", groups: ["system:masters"] }]]),
      audit: { policyFile: policyPath(name), logPath },
      warn: (message) => warnings.push(message),
    });
    t.after(() => server.close());
    await sendAuditRequests({ url: server.url, token: "secret" });
    await server.close();
    const expected = readFileSync(recordingPath(name), "utf8").trimEnd().split("\n");
    const found = comparableEvents(readFileSync(logPath, "utf8"));
    const missing = expected.filter((line) => !found.includes(line));
    const added = found.filter((line) => !expected.includes(line));
    assert.deepEqual({ missing, added }, { missing: [], added: [] });
    assert.equal(found.length, expected.length);
    assert.deepEqual(warnings, [
      "the audit log leaves out events of patches that are no JSON, as upstream's does (/api/v1/namespaces/shop/configmaps/a)",
    ]);
  });
