// Who a client certificate says is calling: common name as user, organisations as groups. What
// nobody vouches for is told apart from nothing shown at all, because the one is refused and the
// other anonymous.
// Upstream: k8s.io/apiserver/pkg/authentication/request/x509/x509.go (CommonNameUserConversion).
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { UserInfo } from "../apimachinery/user-info.ts";

/**
 * What a connection's certificate says: a user, a certificate that no known authority has issued,
 * or nothing.
 */
export interface CertificateCaller {
  readonly user?: UserInfo;
  readonly certificateRefused?: true;
}

const nobody: CertificateCaller = {};

/**
 * Looks at the certificate of a connection; costs more than a request does, so ask once a
 * connection.
 */
export function certificateCaller(socket: TLSSocket | undefined): CertificateCaller {
  const certificate = socket?.getPeerCertificate() as Partial<PeerCertificate> | undefined;
  if (!certificate?.raw) return nobody;
  if (!socket!.authorized) return { certificateRefused: true };
  const subject = certificate.subject as unknown as
    | Readonly<Record<string, string | string[] | undefined>>
    | undefined;
  const name = [subject?.["CN"] ?? []].flat()[0];
  if (!name) return nobody;
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
