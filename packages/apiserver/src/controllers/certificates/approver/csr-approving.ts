// Approves what kubelets ask for by themselves: certificates to call the server with, if whoever
// asks may have one.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/approver/sarapprove.go.
import type { Kind } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { commonNameOf } from "../../../certificates/signing-request.ts";
import {
  certificateRequestKind,
  conditionsOf,
  kubeletClientFault,
  kubeletClientSigner,
  readRequest,
  verdictOf,
  type CertificateRequest,
} from "../../../component-helpers/certificates/certificate-requests.ts";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type {
  ControllerDescriptor,
  ControllerContext,
} from "../../../component-helpers/controller/controller.ts";
import type {
  Workload,
  WorkloadKind,
} from "../../../component-helpers/workloads/workload-objects.ts";

interface AccessReview extends Workload {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean };
}

const reviewKind = dynamicKind({
  apiVersion: "authorization.k8s.io/v1",
  kind: "SubjectAccessReview",
  resource: "subjectaccessreviews",
  scope: "Cluster",
}) as Kind as WorkloadKind<AccessReview>;
/** A role may be given later: how long until the question is put again. */
const askAgainMs = 60_000;

/** Starts the approver. */
export const startCsrApproving: ControllerDescriptor["start"] = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the approver of certificate requests", {
    firstRetryMs: 200,
  });
  const requests = controller.acquire(certificateRequestKind);
  controller.follow(requests, {
    added: ({ key }) => controller.add(key),
    updated: (_, { key }) => controller.add(key),
  });
  return controller.start(async (name) => {
    const request = requests.get({ name });
    if (!request || request.status?.certificate || verdictOf(request)) return undefined;
    const grounds = groundsFor(request);
    for (const { subresource, message } of grounds) {
      if (!(await mayAsk(context, request, subresource))) continue;
      const conditions = [
        ...conditionsOf(request),
        { type: "Approved", status: "True" as const, reason: "AutoApproved", message },
      ];
      await client.update(
        certificateRequestKind,
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
  request: CertificateRequest,
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
  { spec }: CertificateRequest,
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
  const review = await client.create(reviewKind, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: { ...about, resourceAttributes },
  } as never);
  return review.status?.allowed === true;
}
