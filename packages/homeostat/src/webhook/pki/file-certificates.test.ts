import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  createAuthority,
  issueServingCertificate,
  type KeyPair,
} from "../../certificates/authority.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { FileCertificates } from "./file-certificates.ts";

const runtime = createSystemRuntime();
const authority = createAuthority({ runtime });
const issue = (): KeyPair => issueServingCertificate(authority, { runtime, names: ["hooks.svc"] });

/** Swaps the files of a folder at once, as kubelet does. */
function mount(folder: string, version: string, { cert, key }: KeyPair): void {
  mkdirSync(join(folder, version));
  for (const [name, text] of Object.entries({
    "tls.crt": cert,
    "tls.key": key,
    "ca.crt": authority.cert,
  }))
    writeFileSync(join(folder, version, name), text);
  symlinkSync(version, join(folder, "..data_tmp"));
  renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
}

test("mounted files are read again when they are swapped; a half change is left alone", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "hooks-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [first, second] = [issue(), issue()];
  mount(folder, "..1", first);
  for (const name of ["tls.crt", "tls.key", "ca.crt"])
    symlinkSync(join("..data", name), join(folder, name));
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  let heard = Promise.withResolvers<void>();
  const path = (name: string): string => join(folder, name);
  const source = new FileCertificates({
    options: { from: "files", cert: path("tls.crt"), key: path("tls.key"), ca: path("ca.crt") },
    log: { debug: say, info: say, warn: say, error: say },
    changed: () => heard.resolve(),
  });
  t.after(() => source.stop());
  await source.pass();
  assert.deepEqual([source.pair(), source.bundle()], [first, authority.cert]);
  heard = Promise.withResolvers();
  mount(folder, "..2", second);
  await heard.promise;
  await source.pass();
  assert.deepEqual(source.pair(), second);
  writeFileSync(path("tls.key"), first.key);
  await source.pass();
  await source.pass();
  assert.deepEqual(source.pair(), second);
  assert.equal(lines.filter((line) => line.includes("is not the key of")).length, 1);
  assert.equal(lines.filter((line) => line.includes("read from files")).length, 2);
  writeFileSync(path("tls.key"), second.key);
  writeFileSync(path("ca.crt"), "nothing yet");
  await source.pass();
  assert.deepEqual([source.pair(), source.bundle()], [second, authority.cert]);
  assert.match(lines.at(-1)!, /ca\.crt has no certificate$/);
  writeFileSync(path("ca.crt"), authority.cert);
  await source.pass();
  assert.equal(lines.filter((line) => line.includes("read from files")).length, 2, "the same");
  rmSync(path("tls.crt"));
  await source.pass();
  assert.deepEqual(source.pair(), second);
});
