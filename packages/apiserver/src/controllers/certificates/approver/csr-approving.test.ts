import assert from "node:assert/strict";
import { test } from "node:test";
import { generateKeys, toPem } from "../../../certificates/certificate.ts";
import { oid, sequence, setOf, tlv, utf8 } from "../../../certificates/der.ts";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { groundsFor } from "./csr-approving.ts";

const keys = generateKeys();

function request(
  username: string,
  signerName = "kubernetes.io/kube-apiserver-client-kubelet",
  usages = ["client auth", "digital signature"],
): CertificateSigningRequest {
  const attribute = (id: string, value: string): Uint8Array =>
    setOf(sequence(oid(id), utf8(value)));
  const subject = sequence(
    attribute("2.5.4.10", "system:nodes"),
    attribute("2.5.4.3", "system:node:a"),
  );
  const info = sequence(
    tlv(0x02, Uint8Array.of(0)),
    subject,
    keys.publicKey.export({ type: "spki", format: "der" }),
  );
  const pem = toPem("CERTIFICATE REQUEST", sequence(info));
  return {
    metadata: { name: "r" },
    spec: { username, signerName, usages, request: Buffer.from(pem).toString("base64") },
  } as unknown as CertificateSigningRequest;
}

test("a kubelet's certificate is approved by who may ask for itself, or for any node", () => {
  const grounds = (...given: Parameters<typeof request>): readonly string[] =>
    groundsFor(request(...given)).map(({ subresource }) => subresource);
  assert.deepEqual(grounds("system:node:a"), ["selfnodeclient", "nodeclient"]);
  assert.deepEqual(grounds("system:bootstrap:x"), ["nodeclient"]);
  assert.deepEqual(grounds("system:node:a", "kubernetes.io/kube-apiserver-client"), []);
  assert.deepEqual(grounds("system:node:a", undefined, ["client auth"]), []);
});
