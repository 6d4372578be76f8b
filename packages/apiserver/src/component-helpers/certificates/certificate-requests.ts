// What the controllers of CertificateSigningRequests share: the decision that a request carries,
// and what kubelets may request.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/certificate_controller_utils.go,
// pkg/apis/certificates/helpers.go.
import {
  commonNameOf,
  organizationsOf,
  readSigningRequest,
  type AlternativeNames,
  type SigningRequest,
} from "../../certificates/signing-request.ts";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from "homeostat/k8s/certificates/v1";

export const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

export const conditionsOf = ({
  status,
}: CertificateSigningRequest): readonly CertificateSigningRequestCondition[] =>
  status.conditions ?? [];

/** The decision in the conditions. Denied outweighs Approved, whatever their status. */
export function verdictOf(request: CertificateSigningRequest): "approved" | "denied" | undefined {
  const types = conditionsOf(request).map(({ type }) => type);
  if (types.includes("Denied")) return "denied";
  return types.includes("Approved") ? "approved" : undefined;
}

/** The parsed request. Throws when it cannot be parsed, which the API server prevents. */
export function readRequest({ metadata, spec }: CertificateSigningRequest): SigningRequest {
  const read = readSigningRequest(Buffer.from(spec.request, "base64").toString("latin1"));
  if (!read)
    throw new Error(
      `unable to parse csr ${JSON.stringify(metadata.name)}: PEM block type must be CERTIFICATE REQUEST`,
    );
  return read;
}

/** Why a kubelet may not have this serving certificate; undefined when it may. */
export function kubeletServingFault(
  request: SigningRequest,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(request)) return notOfNodes;
  if (!request.dnsNames.length && !request.addresses.length)
    return "DNS or IP subjectAltName is required";
  return (
    forbiddenName({ ...request, dnsNames: [], addresses: [] }) ??
    usageFault(usages, "server auth") ??
    nameFault(request)
  );
}

/** Why a kubelet may not have this client certificate; undefined when it may. */
export function kubeletClientFault(
  request: SigningRequest,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(request)) return notOfNodes;
  return forbiddenName(request) ?? nameFault(request) ?? usageFault(usages, "client auth");
}

const notOfNodes = "subject organization is not system:nodes";

function isOfNodes(request: SigningRequest): boolean {
  const organizations = organizationsOf(request);
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

function forbiddenName({
  dnsNames,
  emailAddresses,
  addresses,
  uris,
}: AlternativeNames): string | undefined {
  const names = { DNS: dnsNames, Email: emailAddresses, IP: addresses, URI: uris };
  const forbidden = Object.entries(names).find(([, list]) => list.length > 0)?.[0];
  return forbidden && `${forbidden} subjectAltNames are not allowed`;
}

const nameFault = (request: SigningRequest): string | undefined =>
  commonNameOf(request).startsWith("system:node:")
    ? undefined
    : "subject common name does not begin with system:node:";

/** Only RSA keys encipher keys: others need not request that usage. */
function usageFault(
  usages: readonly string[],
  purpose: "server auth" | "client auth",
): string | undefined {
  const wanted = ["digital signature", "key encipherment", purpose].toSorted();
  const given = new Set(usages);
  const isMet =
    given.has("digital signature") &&
    given.has(purpose) &&
    [...given].every((usage) => wanted.includes(usage));
  return isMet ? undefined : `usages did not match [${wanted.join(" ")}]`;
}
