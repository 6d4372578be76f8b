// The user of a client certificate: common name as user, organizations as groups. Requests with a
// certificate of an unknown authority are refused; requests without a certificate are anonymous.
// Upstream: k8s.io/apiserver/pkg/authentication/request/x509/x509.go (CommonNameUserConversion).
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { UserInfo } from "../apimachinery/user-info.ts";

/** The user of a connection's certificate; neither field is set without a certificate. */
export interface CertificateCaller {
  readonly user?: UserInfo;
  /** No known authority issued the certificate. */
  readonly certificateRefused?: true;
}

const anonymous: CertificateCaller = {};

/**
 * Reads the certificate of a connection. Call it once a connection: it costs more than a request.
 */
export function certificateCaller(socket: TLSSocket | undefined): CertificateCaller {
  const certificate = socket?.getPeerCertificate() as Partial<PeerCertificate> | undefined;
  if (!certificate?.raw) return anonymous;
  if (!socket!.authorized) return { certificateRefused: true };
  const subject = certificate.subject as unknown as
    | Readonly<Record<string, string | string[] | undefined>>
    | undefined;
  const name = [subject?.["CN"] ?? []].flat()[0];
  if (!name) return anonymous;
  const id = `X509SHA256=${(certificate.fingerprint256 ?? "").replaceAll(":", "").toLowerCase()}`;
  return {
    user: {
      name,
      groups: withAuthenticated([subject?.["O"] ?? []].flat()),
      extra: { "authentication.kubernetes.io/credential-id": [id] },
    },
  };
}

const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"];
