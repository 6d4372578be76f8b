// Proof: Node's HTTP/2 server, as configured here, handles client-go's use of watches. A real
// client-go opens and cancels 3,000 watches on one connection, and the next request on it succeeds.
// Passes with a message if Go is missing.
// Usage: `node tools/run.mjs tools/proofs/watch-cancel/watch-cancel.ts [WATCHES]`
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSystemRuntime } from "homeostat/runtime";
import {
  createAuthority,
  issueServingCertificate,
} from "../../../packages/homeostat/src/certificates/index.ts";
import { withResponseHeaders } from "../../../packages/apiserver/src/http/response-headers.ts";
import type { Handler } from "../../../packages/apiserver/src/apimachinery/handler.ts";
import { listen } from "../../../packages/apiserver/src/http/listen.ts";

const watches = Number(process.argv[2] ?? 3000);
const runtime = createSystemRuntime();
const json = { "content-type": "application/json" };
const configMap = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default", resourceVersion: "1" },
};

const folder = mkdtempSync(join(tmpdir(), "homeostat-watch-"));
try {
  const build = spawnSync("go", ["build", "-o", join(folder, "client"), "."], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  if (build.status === 0) await prove();
  else
    console.log(
      `skipped: client-go could not be built: ${(build.error?.message ?? build.stderr).trim().split("\n").at(-1)}`,
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function prove(): Promise<void> {
  const seen = { opened: 0, closed: 0 };
  const authority = createAuthority({ runtime });
  const tls = issueServingCertificate(authority, {
    runtime,
    names: ["localhost"],
    addresses: ["127.0.0.1"],
  });
  const listener = await listen(withResponseHeaders(createWatchServer(seen), runtime), { tls });
  try {
    writeFileSync(join(folder, "ca.pem"), authority.cert);
    const { stdout } = await promisify(execFile)(join(folder, "client"), [
      listener.url,
      join(folder, "ca.pem"),
      String(watches),
    ]);
    assert.equal(stdout, `watches ${watches} connections 1 list ok\n`);
    assert.deepEqual(seen, { opened: watches, closed: watches });
    console.log(
      `client-go opened and cancelled ${watches} watches on one connection, and went on using it`,
    );
  } finally {
    await listener.close();
  }
}

/** Answers every watch with one event and then keeps it open, and every list with an empty one. */
function createWatchServer(seen: { opened: number; closed: number }): Handler {
  return async ({ path }) => {
    if (!path.includes("watch=true"))
      return {
        status: 200,
        headers: json,
        body: new TextEncoder().encode(
          '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}',
        ),
      };
    const open = (sink: { data(chunk: Uint8Array): boolean }) => {
      seen.opened++;
      sink.data(
        new TextEncoder().encode(`${JSON.stringify({ type: "ADDED", object: configMap })}\n`),
      );
      return { resume: () => {}, close: () => void seen.closed++ };
    };
    return { status: 200, headers: json, body: { open } };
  };
}
