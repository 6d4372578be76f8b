// The source of certificates that the options choose.
import { parseDuration } from "../../api/duration.ts";
import type { Cache } from "../../cache/index.ts";
import { Secret } from "../../k8s/core/v1/index.ts";
import type { PlaceOfWebhooks } from "../place-of-webhooks.ts";
import type { WebhooksContext, WebhooksOptions } from "../webhooks-options.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { FileCertificates } from "./file-certificates.ts";
import { ManagerCertificates } from "./manager-certificates.ts";
import type { PkiLimits } from "./pki.machine.ts";
import { secretOf } from "./secret-of.ts";
import { SecretCertificates } from "./secret-certificates.ts";

interface SourceContext extends WebhooksContext {
  readonly cache: Cache;
  readonly place: PlaceOfWebhooks;
  readonly changed: () => void;
}

/** Creates the source; what it reads is followed from then on. */
export function createSource(
  options: WebhooksOptions,
  { client, operator, runtime, log, cache, place, changed }: SourceContext,
): CertificateSource {
  const { certificates = { from: "secret" } } = options;
  const follow = (name: string, namespace: string) => {
    const scope = { namespace, fieldSelector: `metadata.name=${name}` };
    const lease = cache.acquire(Secret, scope);
    lease.informer.addHandler({ added: changed, updated: changed, deleted: changed });
    return lease;
  };
  if (certificates.from === "files")
    return new FileCertificates({ options: certificates, log, changed });
  const { name, namespace } = secretOf(options, { operator, namespace: client.namespace })!;
  if (certificates.from === "cert-manager")
    return new ManagerCertificates(follow(name, namespace), { name, namespace });
  const making = { runtime, limits: limitsOf(certificates), names: place.names };
  return new SecretCertificates({
    client,
    log,
    making,
    lease: follow(name, namespace),
    name,
    namespace,
  });
}

/** Between the API servers' hearing of a caBundle and its use. */
const settleMs = 2000;

function limitsOf({
  authorityValidity = "8760h",
  leafValidity = "2160h",
  overlap = "1h",
}: Extract<WebhooksOptions["certificates"], { readonly from: "secret" }>): PkiLimits {
  return {
    authorityMs: parseDuration(authorityValidity),
    leafMs: parseDuration(leafValidity),
    overlapMs: parseDuration(overlap),
    settleMs,
  };
}
