// Approves client certificates of kubelets, if the requesting user may have one.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/approver/sarapprove.go.
import { startCertificateController } from "../certificate-controller.ts";
import { SubjectAccessReview } from "homeostat/k8s/authorization/v1";
import { commonNameOf } from "../../../certificates/signing-request.ts";
import {
  conditionsOf,
  kubeletClientFault,
  kubeletClientSigner,
  readRequest,
  verdictOf,
} from "../../../component-helpers/certificates/certificate-requests.ts";
import { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import type { Start, ControllerContext } from "../../../component-helpers/controller/controller.ts";

/** A role may be bound later: the delay before the access review is repeated. */
const askAgainMs = 60_000;

/** Starts `csrapproving`. */
export const start: Start = async (context) => {
  const { client } = context;
  return startCertificateController(context, "the csrapproving controller", async (request) => {
    if (request.status.certificate || verdictOf(request)) return undefined;
    const grounds = groundsFor(request);
    for (const { subresource, message } of grounds) {
      if (!(await mayAsk(context, request, subresource))) continue;
      const conditions = [
        ...conditionsOf(request),
        { type: "Approved", status: "True" as const, reason: "AutoApproved", message },
      ];
      await client.update(
        CertificateSigningRequest,
        { ...request, status: { ...request.status, conditions } },
        { subresource: "approval" },
      );
      return undefined;
    }
    return grounds.length ? askAgainMs : undefined;
  });
};

/**
 * The permissions that allow approval, the narrowest first; none for requests that are not a
 * kubelet's.
 */
export function groundsFor(
  request: CertificateSigningRequest,
): readonly { readonly subresource: string; readonly message: string }[] {
  const { signerName, usages = [], username } = request.spec;
  const asked = readRequest(request);
  if (signerName !== kubeletClientSigner || kubeletClientFault(asked, usages) !== undefined)
    return [];
  const ofAny = {
    subresource: "nodeclient",
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
  };
  const ofItself = {
    subresource: "selfnodeclient",
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
  };
  return username === commonNameOf(asked) ? [ofItself, ofAny] : [ofAny];
}

async function mayAsk(
  { client }: ControllerContext,
  { spec }: CertificateSigningRequest,
  subresource: string,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec;
  const resourceAttributes = {
    group: "certificates.k8s.io",
    resource: "certificatesigningrequests",
    verb: "create",
    subresource,
    version: "*",
  };
  const about = {
    ...(username === undefined ? {} : { user: username }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups ? { groups } : {}),
    ...(extra ? { extra } : {}),
  };
  const review = await client.create(
    SubjectAccessReview,
    SubjectAccessReview({ spec: { ...about, resourceAttributes } }),
  );
  return review.status.allowed === true;
}
