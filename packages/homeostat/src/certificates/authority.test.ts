import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSystemRuntime, createVirtualRuntime } from "../runtime/index.ts";
import { createAuthority, issueClientCertificate, issueServingCertificate } from "./authority.ts";
import { addressBytes } from "./certificate.ts";

const runtime = createSystemRuntime();
const authority = createAuthority({ runtime });
const serving = issueServingCertificate(authority, {
  runtime,
  names: ["localhost", "kubernetes.default.svc"],
  addresses: ["127.0.0.1", "::1"],
});
const client = issueClientCertificate(authority, {
  runtime,
  user: "jürgen",
  groups: ["system:masters", "dev"],
});

test("an authority is self-signed and valid for ten years", () => {
  const cert = new X509Certificate(authority.cert);
  assert.equal(cert.ca, true);
  assert.ok(cert.verify(cert.publicKey) && cert.checkIssued(cert));
  assert.equal(cert.subject, "CN=homeostat");
  assert.ok(cert.validToDate.getTime() - cert.validFromDate.getTime() > 9.9 * 365 * 86_400_000);
});

test("a serving certificate is issued by the authority for its names and addresses only", () => {
  const cert = new X509Certificate(serving.cert);
  const ca = new X509Certificate(authority.cert);
  assert.ok(cert.verify(ca.publicKey) && cert.checkIssued(ca));
  assert.equal(cert.ca, false);
  assert.deepEqual(
    [
      cert.checkHost("localhost"),
      cert.checkHost("kubernetes.default.svc"),
      cert.checkHost("example.com"),
    ],
    ["localhost", "kubernetes.default.svc", undefined],
  );
  assert.deepEqual(
    [cert.checkIP("127.0.0.1"), cert.checkIP("::1"), cert.checkIP("10.0.0.1")],
    ["127.0.0.1", "::1", undefined],
  );
  assert.deepEqual(cert.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
  assert.ok(cert.validFromDate.getTime() < Date.now());
});

test("a client certificate names its user and groups", () => {
  const { subject } = new X509Certificate(client.cert).toLegacyObject();
  assert.deepEqual({ ...subject }, { O: ["system:masters", "dev"], CN: "jürgen" });
});

test("time and serial numbers come from the runtime", () => {
  const virtual = createVirtualRuntime({ startMs: Date.UTC(2055, 0, 1), seed: 3 });
  const cert = new X509Certificate(createAuthority({ runtime: virtual }).cert);
  assert.equal(cert.validToDate.getUTCFullYear(), 2064);
  assert.equal(
    cert.serialNumber,
    new X509Certificate(createAuthority({ runtime: createVirtualRuntime({ seed: 3 }) }).cert)
      .serialNumber,
  );
});

test("addresses are encoded as bytes", () => {
  const hex = (address: string): string => Buffer.from(addressBytes(address)).toString("hex");
  assert.equal(hex("10.1.2.255"), "0a0102ff");
  assert.equal(hex("::1"), "00000000000000000000000000000001");
  assert.equal(hex("fd00:abcd::12:3"), "fd00abcd000000000000000000120003");
  assert.equal(hex("1:2:3:4:5:6:7:8"), "00010002000300040005000600070008");
  assert.equal(hex("::ffff:10.0.0.1"), "00000000000000000000ffff0a000001");
  assert.throws(() => addressBytes("localhost"), /expected an IPv4 or IPv6 address/);
});

test(
  "openssl verifies the chain for its purposes",
  {
    skip:
      spawnSync("openssl", ["version"]).status === 0
        ? false
        : "the openssl command is not installed",
  },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "certificates-"));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const ca = file("ca.pem", authority.cert);
    const verify = (purpose: string, cert: string): number | null =>
      spawnSync("openssl", ["verify", "-x509_strict", "-purpose", purpose, "-CAfile", ca, cert])
        .status;
    const servingFile = file("serving.pem", serving.cert);
    const clientFile = file("client.pem", client.cert);
    assert.deepEqual([verify("sslserver", servingFile), verify("sslclient", clientFile)], [0, 0]);
    assert.notEqual(verify("sslclient", servingFile), 0);
    const text = execFileSync("openssl", ["x509", "-in", servingFile, "-noout", "-text"], {
      encoding: "utf8",
    });
    for (const expected of [
      "DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
      "Digital Signature",
      "CA:FALSE",
      "ecdsa-with-SHA256",
    ])
      assert.ok(text.includes(expected), expected);
    rmSync(folder, { recursive: true });
  },
);
