// Which Secret holds the certificates of webhooks, and who writes it.
import type { WebhooksOptions } from "../webhooks-options.ts";

/** A Secret with certificates. */
export interface CertificateSecret {
  readonly name: string;
  readonly namespace: string;
  /** True when the webhooks write it themselves. */
  readonly isOwn: boolean;
}

/** Undefined for certificates in files. `namespace` is that of the client. */
export function secretOf(
  { certificates = { from: "secret" }, service }: WebhooksOptions,
  { operator, namespace }: { readonly operator: string; readonly namespace: string },
): CertificateSecret | undefined {
  if (certificates.from === "files") return undefined;
  if (certificates.from === "cert-manager") {
    const { certificate, secret: name } = certificates;
    return { name, namespace: certificate.slice(0, certificate.indexOf("/")), isOwn: false };
  }
  return {
    name: certificates.secret ?? `${operator}-webhooks`,
    namespace: certificates.namespace ?? service?.namespace ?? namespace,
    isOwn: true,
  };
}

/** True when the webhooks write caBundles; false when cert-manager does. */
export const writesBundles = ({ certificates }: WebhooksOptions): boolean =>
  certificates?.from === "files"
    ? certificates.ca !== undefined
    : certificates?.from !== "cert-manager";

/** The annotations by which cert-manager writes caBundles. */
export function annotationsOf({ certificates }: WebhooksOptions): Readonly<Record<string, string>> {
  const from = certificates?.from === "cert-manager" ? certificates.certificate : undefined;
  const certificate = certificates?.from === "files" ? certificates.injectCaFrom : from;
  return certificate === undefined ? {} : { "cert-manager.io/inject-ca-from": certificate };
}
