// Signs approved requests of Kubernetes' own signers. Idle without an authority, as upstream's
// signer is without `--cluster-signing-cert-file`.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/signer/signer.go.
import { startCertificateController } from "../certificate-controller.ts";
import { signRequest } from "../../../certificates/sign-request.ts";
import type { SigningRequest } from "../../../certificates/signing-request.ts";
import {
  conditionsOf,
  kubeletClientFault,
  kubeletClientSigner,
  kubeletServingFault,
  readRequest,
  verdictOf,
} from "../../../component-helpers/certificates/certificate-requests.ts";
import {
  CertificateSigningRequest,
  type CertificateSigningRequestCondition,
} from "homeostat/k8s/certificates/v1";
import { formatTime } from "../../../component-helpers/meta/format-time.ts";
import type { Start } from "../../../component-helpers/controller/controller.ts";

/** Starts `csrsigning`. */
export const start: Start = async (context) => {
  const { client, runtime, signer } = context;
  if (!signer) return { stop: async () => {} };
  return startCertificateController(context, "the csrsigning controller", async (request) => {
    if (!awaitsCertificate(request)) return undefined;
    const asked = readRequest(request);
    const { usages = [], expirationSeconds } = request.spec;
    const fault = signerFault(request.spec.signerName, asked, usages);
    const status = fault
      ? {
          ...request.status,
          conditions: [...conditionsOf(request), failed(fault, runtime.clock.now())],
        }
      : {
          ...request.status,
          certificate: Buffer.from(
            signRequest(asked, { usages, validMs: validMs(expirationSeconds) }, signer, runtime),
          ).toString("base64"),
        };
    await client.update(
      CertificateSigningRequest,
      { ...request, status },
      { subresource: "status" },
    );
    return undefined;
  });
};

/** What each signer requires beyond the API's validation; the legacy signer requires nothing. */
const demands: Readonly<
  Record<string, (request: SigningRequest, usages: readonly string[]) => string | undefined>
> = {
  "kubernetes.io/kubelet-serving": kubeletServingFault,
  [kubeletClientSigner]: kubeletClientFault,
  "kubernetes.io/kube-apiserver-client": (_, usages) => clientUsageFault(usages),
  "kubernetes.io/legacy-unknown": () => undefined,
};

/** Whether a request is approved, has no certificate yet and names one of these signers. */
export function awaitsCertificate(request: CertificateSigningRequest): boolean {
  const hasFailed = conditionsOf(request).some(
    ({ type, status }) => type === "Failed" && status === "True",
  );
  return (
    !request.status.certificate &&
    verdictOf(request) === "approved" &&
    !hasFailed &&
    Object.hasOwn(demands, request.spec.signerName)
  );
}

/** Why this signer refuses; undefined when it signs. */
export function signerFault(
  signerName: string,
  request: SigningRequest,
  usages: readonly string[],
): string | undefined {
  return demands[signerName]?.(request, usages);
}

function clientUsageFault(usages: readonly string[]): string | undefined {
  const odd = usages.find(
    (usage) => !["digital signature", "key encipherment", "client auth"].includes(usage),
  );
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes("client auth")
    ? undefined
    : "missing required usage for client certificate: client auth";
}

const failed = (message: string, now: number): CertificateSigningRequestCondition => ({
  type: "Failed",
  status: "True",
  reason: "SignerValidationFailure",
  message,
  lastUpdateTime: formatTime(now),
});

const yearMs = 365 * 24 * 3_600_000;
const leastMs = 10 * 60_000;

/** The validity of a certificate: a year, or less if requested. */
export const validMs = (expirationSeconds: number | undefined): number =>
  expirationSeconds === undefined
    ? yearMs
    : Math.min(yearMs, Math.max(leastMs, expirationSeconds * 1000));
