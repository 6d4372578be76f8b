// Who a verified client certificate says is calling: common name as user, organisations as groups.
// Upstream: k8s.io/apiserver/pkg/authentication/request/x509/x509.go (CommonNameUserConversion).
import type { TLSSocket } from "node:tls";
import type { UserInfo } from "./handler.ts";

/** The caller, or undefined where there is no certificate, or none that the client authority has issued. */
export function certificateUser(socket: TLSSocket | undefined): UserInfo | undefined {
  if (!socket?.authorized) return undefined;
  const subject = socket.getPeerCertificate().subject as Readonly<Record<string, string | string[] | undefined>> | undefined;
  const name = [subject?.["CN"] ?? []].flat()[0];
  if (!name) return undefined;
  return { name, groups: [...[subject?.["O"] ?? []].flat(), "system:authenticated"] };
}
