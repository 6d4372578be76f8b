// The server of the proof, with an audit log: the embedded one as a process, or the real one.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../test/fixtures/free-port.ts";
import { openFolder, openReference } from "../end-with-proof.ts";
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
  const { path: folder, remove } = openFolder("failover");
  const policy = join(folder, "policy.yaml");
  const auditLog = join(folder, "audit.log");
  writeFileSync(policy, auditPolicy);
  const flags = [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${auditLog}`,
    "--audit-log-maxsize=0",
  ];
  if (what === "reference") {
    const reference = await openReference({ apiserverFlags: flags.slice(0, 2) });
    const { kubeconfigPath: kubeconfig } = reference;
    return { what, kubeconfig, auditLog, close: () => reference.stop().finally(remove) };
  }
  const place = { folder, port: await freePort(), flags: ["--controllers", "none", ...flags] };
  const life = startServer(place);
  await life.ready;
  const close = (): Promise<void> => life.kill().finally(remove);
  return { what, kubeconfig: kubeconfigOf(place), auditLog, close };
}
