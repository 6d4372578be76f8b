// A Node server that does nothing: how near a row is to the limit of its platform. Only the rows of
// get, create and fan-out mean something with it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Peer, Place } from "./place.ts";

const program = fileURLToPath(new URL("bare-node-server.ts", import.meta.url));

/** Node's TLS, HTTP parser and sockets alone. */
export const bareNode: Peer = {
  name: "bare Node",
  durability: "memory",
  absent: () => undefined,
  async start(): Promise<Place> {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-"));
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    selfSign(cert, key);
    const child = spawn(process.execPath, [program, cert, key], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const kubeconfigPath = join(folder, "kubeconfig");
    writeFileSync(kubeconfigPath, kubeconfigOf(port, cert));
    return {
      name: "bare Node",
      kubeconfigPath,
      pids: [child.pid!],
      async stop() {
        child.kill("SIGTERM");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** With a key of the kind that both servers have. */
function selfSign(cert: string, key: string): void {
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
  const subject = ["-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...request.split(" "), ...subject, "-out", cert, "-keyout", key], {
    stdio: "ignore",
  });
}

function kubeconfigOf(port: string, cert: string): string {
  const authority = readFileSync(cert).toString("base64");
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": authority };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "bare", cluster }],
    users: [{ name: "bare", user: { token: "bench" } }],
    contexts: [{ name: "bare", context: { cluster: "bare", user: "bare" } }],
    "current-context": "bare",
  });
}
