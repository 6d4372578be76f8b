import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRequest } from "../../../certificates/signing-request.suite.ts";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { groundsFor } from "./csr-approving.ts";

function request(
  username: string,
  signerName = "kubernetes.io/kube-apiserver-client-kubelet",
  usages = ["client auth", "digital signature"],
): CertificateSigningRequest {
  const pem = encodeRequest([
    ["2.5.4.10", "system:nodes"],
    ["2.5.4.3", "system:node:a"],
  ]);
  return {
    metadata: { name: "r" },
    spec: { username, signerName, usages, request: Buffer.from(pem).toString("base64") },
  } as unknown as CertificateSigningRequest;
}

test("a kubelet's certificate is approved for users who may request their own, or any node's", () => {
  const grounds = (...given: Parameters<typeof request>): readonly string[] =>
    groundsFor(request(...given)).map(({ subresource }) => subresource);
  assert.deepEqual(grounds("system:node:a"), ["selfnodeclient", "nodeclient"]);
  assert.deepEqual(grounds("system:bootstrap:x"), ["nodeclient"]);
  assert.deepEqual(grounds("system:node:a", "kubernetes.io/kube-apiserver-client"), []);
  assert.deepEqual(grounds("system:node:a", undefined, ["client auth"]), []);
});
