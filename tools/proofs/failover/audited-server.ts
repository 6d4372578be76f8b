// The server of the proof, with an audit log: the embedded one as a process, or the real one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../test/fixtures/free-port.ts";
import { startReference } from "../../reference/start-reference.ts";
import { kubeconfigOf, startServer } from "../server-kill/server-process.ts";
import { auditPolicy } from "./audit-judge.ts";

/** A server that runs. */
export interface AuditedServer {
  readonly what: "embedded" | "reference";
  readonly kubeconfig: string;
  readonly auditLog: string;
  close(): Promise<void>;
}

/** Starts it. */
export async function openAuditedServer(what: AuditedServer["what"]): Promise<AuditedServer> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-failover-"));
  const policy = join(folder, "policy.yaml");
  const auditLog = join(folder, "audit.log");
  writeFileSync(policy, auditPolicy);
  const flags = [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${auditLog}`,
    "--audit-log-maxsize=0",
  ];
  const clean = (): void => rmSync(folder, { recursive: true });
  if (what === "reference") {
    const reference = await startReference({ apiserverFlags: flags.slice(0, 2) });
    const { kubeconfigPath: kubeconfig } = reference;
    return { what, kubeconfig, auditLog, close: () => reference.stop().finally(clean) };
  }
  const place = { folder, port: await freePort(), flags: ["--controllers", "none", ...flags] };
  const life = startServer(place);
  await life.ready;
  const close = (): Promise<void> => life.kill().finally(clean);
  return { what, kubeconfig: kubeconfigOf(place), auditLog, close };
}
