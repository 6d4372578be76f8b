import assert from "node:assert/strict";
import { createPublicKey, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { createAuthority, octets, oid, sequence, setOf, tlv } from "homeostat/certificates";
import { encodeRequest, keys } from "./signing-request.suite.ts";
import { readSigningRequest, commonNameOf, organizationsOf } from "./signing-request.ts";
import { signRequest } from "./sign-request.ts";

const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
const authority = createAuthority({ runtime, commonName: "ca" });

function request(): string {
  const names = sequence(
    tlv(0x82, Buffer.from("node.example")),
    tlv(0x87, Uint8Array.of(10, 0, 0, 1)),
    tlv(0x86, Buffer.from("spiffe://a/b")),
  );
  const extensions = tlv(
    0xa0,
    sequence(
      oid("1.2.840.113549.1.9.14"),
      setOf(sequence(sequence(oid("2.5.29.17"), octets(names)))),
    ),
  );
  const subject = [
    ["2.5.4.3", "jürgen"],
    ["2.5.4.10", "dev-b"],
    ["2.5.4.10", "dev-a"],
    ["1.2.3.4", "unknown"],
  ] as const;
  return encodeRequest(subject, extensions);
}

test("a request has its subject, names and key", () => {
  const read = readSigningRequest(request())!;
  assert.equal(commonNameOf(read), "jürgen");
  assert.deepEqual(organizationsOf(read), ["dev-b", "dev-a"]);
  assert.deepEqual(
    [read.dnsNames, read.emailAddresses, read.uris],
    [["node.example"], [], ["spiffe://a/b"]],
  );
  assert.deepEqual(
    read.addresses.map((each) => [...each]),
    [[10, 0, 0, 1]],
  );
  assert.equal(readSigningRequest("nothing"), undefined);
  assert.equal(
    readSigningRequest(
      "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----",
    ),
    undefined,
  );
});

test("a signed request is a certificate for its key, of its subject and names", () => {
  const pem = signRequest(
    readSigningRequest(request())!,
    { usages: ["client auth", "key encipherment", "digital signature"], validMs: 86_400_000 },
    authority,
    runtime,
  );
  const certificate = new X509Certificate(pem);
  const ca = new X509Certificate(authority.cert);
  assert.ok(certificate.verify(createPublicKey(authority.key)) && certificate.checkIssued(ca));
  assert.equal(certificate.ca, false);
  assert.ok(certificate.checkPrivateKey(keys.privateKey));
  assert.deepEqual(
    { ...certificate.toLegacyObject().subject },
    { O: ["dev-a", "dev-b"], CN: "jürgen" },
  );
  assert.equal(
    certificate.subjectAltName,
    "DNS:node.example, IP Address:10.0.0.1, URI:spiffe://a/b",
  );
  assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(certificate.validFromDate.toISOString(), "2025-12-31T23:55:00.000Z");
  assert.equal(certificate.validToDate.toISOString(), "2026-01-01T23:55:00.000Z");
});

test("short lifetimes are kept, no certificate outlives its signer, and unknown usages are refused", () => {
  const read = readSigningRequest(request())!;
  const ends = (validMs: number): number =>
    new X509Certificate(
      signRequest(read, { usages: ["server auth"], validMs }, authority, runtime),
    ).validToDate.getTime();
  assert.equal(ends(600_000), runtime.clock.now() + 600_000);
  assert.equal(
    ends(100 * 365 * 86_400_000),
    new X509Certificate(authority.cert).validToDate.getTime(),
  );
  assert.throws(
    () =>
      signRequest(read, { usages: ["client auth", "tea"], validMs: 600_000 }, authority, runtime),
    /unrecognized usage values: \["tea"\]/,
  );
});
