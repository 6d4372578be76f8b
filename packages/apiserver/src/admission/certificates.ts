// What admission has to say about certificate signing requests: who may approve and who may sign,
// and that nobody asks for a certificate that makes its holder a master of the cluster.
// Upstream:
// k8s.io/kubernetes/plugin/pkg/admission/certificates/{approval,signing,subjectrestriction}/admission.go,
// pkg/certauthorization/certauthorization.go.
import { equalJson, type JsonObject } from "homeostat/api";
import { requestedOrganizations } from "../kinds/certificates/read-signing-request.ts";
import { objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { AuthorizerAttributes, Authorizer } from "../authorization/authorizer.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";

const group = "certificates.k8s.io";
const resource = "certificatesigningrequests";
const clientSigner = "kubernetes.io/kube-apiserver-client";
const masters = "system:masters";

const signerOf = (request: JsonObject): string => stringAt(objectAt(request, "spec"), "signerName");

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
    const [before, after] = [objectAt(old, "status"), objectAt(object, "status")];
    if (
      equalJson(before["certificate"] ?? null, after["certificate"] ?? null) &&
      equalJson(before["conditions"] ?? [], after["conditions"] ?? [])
    )
      return;
    await assertMay(request, authorizer, "sign");
  },
});

export const createCertificateSubjectRestriction: CreatePlugin = () => ({
  validate(request) {
    const { object } = request;
    if (
      !object ||
      request.operation !== "CREATE" ||
      !isAbout(request, group, resource) ||
      signerOf(object) !== clientSigner
    )
      return;
    const pem = Buffer.from(stringAt(objectAt(object, "spec"), "request"), "base64").toString(
      "utf8",
    );
    if (requestedOrganizations(pem).includes(masters))
      throw refuse(request, `use of ${clientSigner} signer with ${masters} group is not allowed`);
  },
});

/** Permission for one signer, or for all signers of its domain. */
async function assertMay(
  request: AdmissionRequest,
  authorizer: Authorizer,
  verb: "approve" | "sign",
): Promise<void> {
  const signer = signerOf(request.old!);
  for (const name of [signer, `${signer.split("/")[0]}/*`])
    if ((await authorizer(attemptOn(request, verb, name))).allowed) return;
  throw refuse(
    request,
    `user not permitted to ${verb} requests with signerName ${quoteGo(signer)}`,
  );
}

function attemptOn({ user }: AdmissionRequest, verb: string, name: string): AuthorizerAttributes {
  const signers = "signers";
  return {
    user,
    info: {
      isResource: true,
      path: "",
      verb,
      group,
      version: "*",
      namespace: "",
      resource: signers,
      subresource: "",
      name,
      parts: [signers, name],
      watchPrefix: false,
      named: true,
      scoped: false,
    },
  };
}
