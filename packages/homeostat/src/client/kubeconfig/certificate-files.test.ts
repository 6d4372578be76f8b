// Certificates that are renewed in their files. Virtual time, no files.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { generateKeyPairSync } from "node:crypto";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { CertificateFiles } from "./certificate-files.ts";

const ca = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n`;

describe("certificate files", () => {
  const open = (files: Record<string, string>, held: object = { ca: ca("one") }) => {
    const runtime = createVirtualRuntime();
    const reads: string[] = [];
    const source = new CertificateFiles(
      { ...held, files: { ca: "ca.crt" } },
      runtime,
      async (path) => {
        reads.push(path);
        if (files[path] === undefined) throw new Error("no such file");
        return files[path];
      },
    );
    return { runtime, source, reads };
  };

  it("are read again after five minutes, once", async () => {
    const files = { "ca.crt": ca("one") };
    const { runtime, source, reads } = open(files);
    assert.equal(source.refresh(), undefined);
    await runtime.advance(5 * 60_000);
    const refreshed = source.refresh();
    assert.equal(source.refresh(), undefined, "others do not wait");
    await refreshed;
    assert.deepEqual([reads, source.epoch], [["ca.crt"], 0]);
    files["ca.crt"] = ca("two");
    await runtime.advance(5 * 60_000);
    await source.refresh();
    assert.deepEqual([source.epoch, await source.current()], [1, { ca: ca("two") }]);
  });

  for (const [what, text] of [
    ["missing", undefined],
    ["empty", ""],
  ] as const)
    it(`stay as they are while the file is ${what}`, async () => {
      const { runtime, source } = open(text === undefined ? {} : { "ca.crt": text });
      await runtime.advance(5 * 60_000);
      await source.refresh();
      assert.deepEqual([source.epoch, (await source.current()).ca], [0, ca("one")]);
    });

  it("stay as they are while certificate and key do not fit", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const held = { ca: ca("one"), cert: ca("leaf"), key };
    const { runtime, source } = open({ "ca.crt": ca("two") }, held);
    await runtime.advance(5 * 60_000);
    await source.refresh();
    assert.equal(source.epoch, 0);
  });
});
