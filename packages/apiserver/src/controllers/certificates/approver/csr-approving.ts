// Approves what kubelets ask for by themselves: certificates to call the server with, if whoever
// asks may have one.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/approver/sarapprove.go.
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
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type {
  ControllerDescriptor,
  ControllerContext,
} from "../../../component-helpers/controller/controller.ts";

/** A role may be given later: how long until the question is put again. */
const askAgainMs = 60_000;

/** Starts the approver. */
export const startCsrApproving: ControllerDescriptor["start"] = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the approver of certificate requests", {
    firstRetryMs: 200,
  });
  const requests = controller.acquire(CertificateSigningRequest);
  controller.follow(requests, {
    added: ({ key }) => controller.add(key),
    updated: (_, { key }) => controller.add(key),
  });
  return controller.start(async (name) => {
    const request = requests.get({ name });
    if (!request || request.status.certificate || verdictOf(request)) return undefined;
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
 * On which permissions a request may be approved, the narrowest first; none for what no kubelet
 * asks for.
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
