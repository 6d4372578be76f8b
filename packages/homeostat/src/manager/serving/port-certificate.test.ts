// The certificates of a port: how long they are valid, and when they are replaced.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { KeyPair } from "../../certificates/authority.ts";
import { createMetrics } from "../../metrics/index.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { certificateOfFiles, selfSignedCertificate } from "./port-certificate.ts";

const dayMs = 86_400_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

test("a port's own certificate is for this host, and replaced long before it ends", async () => {
  const runtime = createVirtualRuntime();
  const { first, follow } = selfSignedCertificate({
    runtime,
    log: silent,
    metrics: createMetrics(),
  });
  const given = new X509Certificate(first.cert);
  assert.equal(
    given.subjectAltName,
    "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
  );
  assert.equal(first.cert.match(/BEGIN CERTIFICATE/g)?.length, 2, "with its authority");
  assert.ok(given.validToDate.getTime() <= runtime.clock.now() + 366 * dayMs);
  const later: KeyPair[] = [];
  const following = follow((pair) => void later.push(pair));
  for (const count of [1, 2]) {
    await runtime.advance(240 * dayMs - 1);
    assert.equal(later.length, count - 1);
    await runtime.advance(1);
    assert.equal(later.length, count);
  }
  assert.ok(given.validToDate.getTime() > runtime.clock.now() - 480 * dayMs + 364 * dayMs);
  const last = new X509Certificate(later[1]!.cert);
  assert.ok(last.validToDate.getTime() > runtime.clock.now() + 364 * dayMs);
  following.stop();
  assert.equal(runtime.nextTimerMs(), undefined);
});

test("files are read every ten seconds; what cannot be read or used is said, and tried again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "port-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  const write = (cert: string, key: string): void => {
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
  };
  const runtime = createVirtualRuntime();
  const metrics = createMetrics();
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const log = { ...silent, info: say, error: say };
  const given = { runtime, log, metrics };
  await assert.rejects(certificateOfFiles(files, given), { code: "ENOENT" });
  write("c1", "k1");
  const { first, follow } = await certificateOfFiles(files, given);
  assert.deepEqual(first, { cert: "c1", key: "k1" });
  const replaced: string[] = [];
  let fits = true;
  const following = follow(({ cert, key }) => {
    if (!fits) throw new Error("the key does not fit");
    replaced.push(`${cert} ${key}`);
  });
  const look = async (ms = 10_000): Promise<void> => {
    await runtime.advance(ms);
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await look();
  assert.deepEqual([replaced, said], [[], []], "nothing is new");
  write("c2", "k1");
  await look(9999);
  assert.deepEqual(replaced, []);
  await look(1);
  assert.deepEqual(replaced, ["c2 k1"]);
  assert.match(said.join(), /^the certificate of .*tls\.crt has been renewed$/);
  await look();
  assert.deepEqual(replaced, ["c2 k1"], "once");
  fits = false;
  write("c2", "k2");
  await look();
  rmSync(files.keyFile);
  await look();
  assert.deepEqual(
    said.slice(1).map((line) => /does not fit|ENOENT/.exec(line)?.[0]),
    ["does not fit", "ENOENT"],
  );
  fits = true;
  write("c2", "k2");
  await look();
  assert.deepEqual(replaced, ["c2 k1", "c2 k2"]);
  const text = metrics.text();
  assert.match(text, /^certwatcher_read_certificate_total 8$/m);
  assert.match(text, /^certwatcher_read_certificate_errors_total 2$/m);
  following.stop();
  assert.equal(runtime.nextTimerMs(), undefined);
});
