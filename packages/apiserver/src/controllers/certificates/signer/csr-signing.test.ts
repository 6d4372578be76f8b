import assert from "node:assert/strict";
import { test } from "node:test";
import type { SigningRequest } from "../../../certificates/signing-request.ts";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { awaitsCertificate, signerFault, validMs } from "./csr-signing.ts";

const asked = ({
  name = "system:node:n",
  groups = ["system:nodes"],
  ...more
}: Partial<SigningRequest> & {
  name?: string;
  groups?: readonly string[];
} = {}): SigningRequest => ({
  subject: [
    ...groups.map((value) => ({ oid: "2.5.4.10", value })),
    { oid: "2.5.4.3", value: name },
  ],
  dnsNames: [],
  emailAddresses: [],
  addresses: [],
  uris: [],
  publicKey: new Uint8Array(),
  ...more,
});

const request = (
  signerName: string,
  conditions: readonly object[],
  certificate?: string,
): CertificateSigningRequest =>
  ({
    metadata: { name: "r" },
    spec: { signerName, request: "" },
    status: { conditions, ...(certificate ? { certificate } : {}) },
  }) as unknown as CertificateSigningRequest;

test("signs requests that are approved, have not failed and have no certificate, for Kubernetes' signers", () => {
  const approved = { type: "Approved", status: "True" };
  const client = "kubernetes.io/kube-apiserver-client";
  assert.equal(awaitsCertificate(request(client, [approved])), true);
  assert.equal(awaitsCertificate(request(client, [])), false);
  assert.equal(
    awaitsCertificate(request(client, [approved, { type: "Failed", status: "True" }])),
    false,
  );
  assert.equal(
    awaitsCertificate(request(client, [approved, { type: "Denied", status: "True" }])),
    false,
  );
  assert.equal(awaitsCertificate(request(client, [approved], "Cg==")), false);
  assert.equal(awaitsCertificate(request("example.com/mine", [approved])), false);
});

test("each signer has its requirements", () => {
  const client = (usages: readonly string[]) =>
    signerFault("kubernetes.io/kube-apiserver-client", asked(), usages);
  assert.equal(client(["client auth", "digital signature"]), undefined);
  assert.equal(
    client(["digital signature"]),
    "missing required usage for client certificate: client auth",
  );
  assert.equal(client(["server auth"]), "invalid usage for client certificate: server auth");
  assert.equal(
    signerFault("kubernetes.io/legacy-unknown", asked({ name: "x", groups: [] }), ["any"]),
    undefined,
  );
});

test("kubelets request their own certificates, with the usages of their purpose", () => {
  const usages = ["client auth", "digital signature"];
  const client = (more: Parameters<typeof asked>[0], by = usages) =>
    signerFault("kubernetes.io/kube-apiserver-client-kubelet", asked(more), by);
  assert.equal(client({}), undefined);
  assert.equal(client({}, [...usages, "key encipherment"]), undefined);
  assert.equal(
    client({}, [...usages, "server auth"]),
    "usages did not match [client auth digital signature key encipherment]",
  );
  assert.equal(
    client({ groups: ["system:nodes", "more"] }),
    "subject organization is not system:nodes",
  );
  assert.equal(client({ name: "ann" }), "subject common name does not begin with system:node:");
  assert.equal(client({ dnsNames: ["n"] }), "DNS subjectAltNames are not allowed");
  const serving = (more: Parameters<typeof asked>[0], by = ["server auth", "digital signature"]) =>
    signerFault("kubernetes.io/kubelet-serving", asked(more), by);
  assert.equal(serving({}), "DNS or IP subjectAltName is required");
  assert.equal(serving({ dnsNames: ["n"] }), undefined);
  assert.equal(serving({ dnsNames: ["n"], uris: ["a:b"] }), "URI subjectAltNames are not allowed");
  assert.equal(
    serving({ dnsNames: ["n"] }, usages),
    "usages did not match [digital signature key encipherment server auth]",
  );
});

test("a certificate is valid for a year, or for less on request", () => {
  assert.equal(validMs(undefined), 31_536_000_000);
  assert.equal(validMs(86_400), 86_400_000);
  assert.equal(validMs(1), 600_000);
  assert.equal(validMs(99_999_999), 31_536_000_000);
});
