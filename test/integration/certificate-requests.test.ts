// CertificateSigningRequests from creation to the use of the certificate, on the embedded server
// over HTTPS. The certificate authenticates its holder.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import type { KubeObject } from "homeostat/api";
import { createClient, dynamicKind } from "homeostat/client";
import { bits, integer, oid, sequence, setOf, tlv, toPem, utf8 } from "homeostat/certificates";
import { until } from "../fixtures/until.ts";
import { accessTo, openServer } from "../fixtures/with-server.ts";

interface Request extends KubeObject {
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly object[];
    readonly userInfo?: { readonly username: string; readonly groups: readonly string[] };
  };
}
const requests = dynamicKind({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  resource: "certificatesigningrequests",
  scope: "Cluster",
});
const reviews = dynamicKind({
  apiVersion: "authentication.k8s.io/v1",
  kind: "SelfSubjectReview",
  resource: "selfsubjectreviews",
  scope: "Cluster",
});

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

/** PKCS#10, signed by its own key. */
function certificateRequest(commonName: string, organization: string): string {
  const attribute = (id: string, value: string): Uint8Array =>
    setOf(sequence(oid(id), utf8(value)));
  const subject = sequence(attribute("2.5.4.10", organization), attribute("2.5.4.3", commonName));
  const info = sequence(
    integer(Uint8Array.of(0)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa0),
  );
  return toPem(
    "CERTIFICATE REQUEST",
    sequence(info, sequence(oid("1.2.840.10045.4.3.2")), bits(sign("sha256", info, privateKey))),
  );
}

describe("certificate requests", { timeout: 30_000 }, () => {
  for (const { signer, name, group, isApproved } of [
    { signer: "kubernetes.io/kube-apiserver-client", name: "ann", group: "dev", isApproved: true },
    {
      signer: "kubernetes.io/kube-apiserver-client-kubelet",
      name: "system:node:n1",
      group: "system:nodes",
      isApproved: false,
    },
  ])
    it(`${signer}: ${isApproved ? "after approval" : "without manual approval"}, ${name} is authenticated`, async () => {
      const server = await openServer("https", { controllers: ["csrsigning", "csrapproving"] });
      const access = await accessTo(server);
      const administrator = createClient({ access });
      try {
        const spec = {
          request: Buffer.from(certificateRequest(name, group)).toString("base64"),
          signerName: signer,
          usages: ["client auth", "digital signature"],
        };
        const made = await administrator.create(requests, {
          apiVersion: "certificates.k8s.io/v1",
          kind: "CertificateSigningRequest",
          metadata: { name: "mine" },
          spec,
        } as never);
        const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
        if (isApproved)
          await administrator.update(requests, { ...made, status: { conditions } } as never, {
            subresource: "approval",
          });
        const certificate = await until(
          async () => ((await administrator.get(requests, "mine")) as Request).status?.certificate,
        );
        const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
        const holder = createClient({
          access: {
            ...access,
            auth: { type: "none" },
            tls: { ...access.tls, cert: Buffer.from(certificate, "base64").toString(), key },
          },
        });
        const review = (await holder.create(reviews, {
          apiVersion: "authentication.k8s.io/v1",
          kind: "SelfSubjectReview",
          metadata: {},
        } as never)) as Request;
        assert.equal(review.status?.userInfo?.username, name);
        assert.deepEqual(review.status.userInfo.groups, [group, "system:authenticated"]);
        await holder.close();
      } finally {
        await administrator.close();
        await server.close();
      }
    });
});
