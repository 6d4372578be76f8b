// Compares the recorded events with those of the real kube-apiserver, an instance for each audit
// policy; with RECORD=1 records them anew.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startReference } from "../../tools/reference/start-reference.ts";
import { policyNames, policyPath, recordingPath } from "./audit-recordings.ts";
import { comparableEvents, sendAuditRequests } from "./send-audit-requests.ts";

for (const name of policyNames)
  test(`audit events by the policy ${name}, on the real kube-apiserver`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "audit-reference-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const log = join(folder, "audit.log");
    const { kubeconfigPath, server, stop } = await startReference({
      apiserverFlags: [`--audit-policy-file=${policyPath(name)}`, `--audit-log-path=${log}`],
    });
    try {
      const { users } = JSON.parse(readFileSync(kubeconfigPath, "utf8")) as {
        readonly users: readonly [{ readonly user: { readonly token: string } }];
      };
      await sendAuditRequests({ url: server, token: users[0].user.token, isSlow: true });
      const lines = comparableEvents(readFileSync(log, "utf8"));
      if (process.env["RECORD"]) writeFileSync(recordingPath(name), `${lines.join("\n")}\n`);
      assert.deepEqual(lines, readFileSync(recordingPath(name), "utf8").trimEnd().split("\n"));
    } finally {
      await stop();
    }
  });
