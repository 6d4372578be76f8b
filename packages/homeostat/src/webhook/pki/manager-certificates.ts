// The certificates of cert-manager: it writes the Secret, and by an annotation the caBundles.
// Upstream: https://cert-manager.io/docs/concepts/ca-injector/
import type { KeyPair } from "../../certificates/authority.ts";
import type { InformerLease } from "../../cache/index.ts";
import type { Secret } from "../../k8s/core/v1/index.ts";
import { isKeyPair } from "./certificate-facts.ts";
import type { CertificateSource } from "./certificate-source.ts";

/** Reads what cert-manager has written last. */
export class ManagerCertificates implements CertificateSource {
  readonly #lease: InformerLease<typeof Secret>;
  readonly #key: { readonly name: string; readonly namespace: string };
  #pair: KeyPair | undefined;

  constructor(
    lease: InformerLease<typeof Secret>,
    key: { readonly name: string; readonly namespace: string },
  ) {
    this.#lease = lease;
    this.#key = key;
  }

  async pass(): Promise<number> {
    const data = this.#lease.informer.get(this.#key)?.data ?? {};
    const text = (name: string): string => Buffer.from(data[name] ?? "", "base64").toString();
    const pair = { cert: text("tls.crt"), key: text("tls.key") };
    if (isKeyPair(pair)) this.#pair = pair;
    return Infinity;
  }

  pair(): KeyPair | undefined {
    return this.#pair;
  }

  bundle(): undefined {
    return undefined;
  }

  stop(): void {
    this.#lease.release();
  }
}
