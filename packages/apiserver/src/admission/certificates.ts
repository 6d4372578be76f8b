// CertificateApproval, CertificateSigning and CertificateSubjectRestriction: approving and signing
// need permission for the signer, and no request may ask for the group system:masters.
// Upstream:
// k8s.io/kubernetes/plugin/pkg/admission/certificates/{approval,signing,subjectrestriction}/admission.go,
// pkg/certauthorization/certauthorization.go.
import { type Decoded, equalJson } from "homeostat/api";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { requestedOrganizations } from "../kinds/certificates/read-signing-request.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { type Authorizer, resourceAction } from "../apimachinery/authorizer.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";

const group = "certificates.k8s.io";
const resource = "certificatesigningrequests";
const clientSigner = "kubernetes.io/kube-apiserver-client";
const masters = "system:masters";

type SigningRequest = Decoded<CertificateSigningRequest>;

export const createCertificateApproval: CreatePlugin = ({ authorizer }) => ({
  async validate(request) {
    if (
      !request.old ||
      request.operation !== "UPDATE" ||
      !isAbout(request, group, resource, "approval")
    )
      return;
    await assertMay(request, authorizer, "approve");
  },
});

export const createCertificateSigning: CreatePlugin = ({ authorizer }) => ({
  async validate(request) {
    const { object, old } = request;
    if (
      !object ||
      !old ||
      request.operation !== "UPDATE" ||
      !isAbout(request, group, resource, "status")
    )
      return;
    const { status: before }: SigningRequest = old;
    const { status: after }: SigningRequest = object;
    if (
      (before?.certificate ?? "") === (after?.certificate ?? "") &&
      equalJson(before?.conditions ?? [], after?.conditions ?? [])
    )
      return;
    await assertMay(request, authorizer, "sign");
  },
});

export const createCertificateSubjectRestriction: CreatePlugin = () => ({
  validate(request) {
    if (!request.object || request.operation !== "CREATE" || !isAbout(request, group, resource))
      return;
    const { spec }: SigningRequest = request.object;
    if (spec?.signerName !== clientSigner) return;
    const pem = Buffer.from(spec.request ?? "", "base64").toString("utf8");
    if (requestedOrganizations(pem).includes(masters))
      throw refuse(request, `use of ${clientSigner} signer with ${masters} group is not allowed`);
  },
});

/** Needs permission for the signer, or for all signers of its domain. Throws 403. */
async function assertMay(
  request: AdmissionRequest,
  authorizer: Authorizer,
  verb: "approve" | "sign",
): Promise<void> {
  const { spec }: SigningRequest = request.old!;
  const signer = spec?.signerName ?? "";
  for (const name of [signer, `${signer.split("/")[0]}/*`])
    if (authorizer({ user: request.user, info: signerAction(verb, name) }).allowed) return;
  throw refuse(
    request,
    `user not permitted to ${verb} requests with signerName ${quoteGo(signer)}`,
  );
}

const signerAction = (verb: string, name: string) =>
  resourceAction({ verb, group, resource: "signers", name });
