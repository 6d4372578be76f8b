// A certificate authority of one's own, and what it issues: serving certificates for the API
// server, client certificates for those who ask. Keys stay in memory unless the caller stores them.
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { Runtime } from "homeostat/runtime";
import {
  type CertificateRequest,
  freshSerial,
  generateKeys,
  type Issuer,
  signCertificate,
  type Subject,
  toPem,
} from "./certificate.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A key pair that issues others. */
export interface Authority extends KeyPair {
  readonly commonName: string;
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

/** Creates an authority that signs itself; valid for ten years. */
export function createAuthority(options: {
  readonly runtime: Runtime;
  readonly commonName?: string;
}): Authority {
  const commonName = options.commonName ?? "homeostat";
  const keys = generateKeys();
  return {
    ...issue(
      { commonName },
      "authority",
      keys,
      { subject: { commonName }, ...keys },
      options.runtime,
      10 * yearMs,
    ),
    commonName,
  };
}

/**
 * Issues a certificate for a server that is known by these DNS names and IP addresses; valid for
 * one year.
 */
export function issueServingCertificate(
  authority: Authority,
  options: {
    readonly runtime: Runtime;
    readonly names: readonly string[];
    readonly addresses?: readonly string[];
  },
): KeyPair {
  const subject = { commonName: options.names[0] ?? "kube-apiserver" };
  return issue(subject, "server", generateKeys(), issuerOf(authority), options.runtime, yearMs, {
    dnsNames: options.names,
    addresses: options.addresses ?? [],
  });
}

/** Issues a certificate by which the holder is `user` in these groups; valid for one year. */
export function issueClientCertificate(
  authority: Authority,
  options: {
    readonly runtime: Runtime;
    readonly user: string;
    readonly groups?: readonly string[];
  },
): KeyPair {
  return issue(
    { commonName: options.user, organizations: options.groups ?? [] },
    "client",
    generateKeys(),
    issuerOf(authority),
    options.runtime,
    yearMs,
  );
}

function issue(
  subject: Subject,
  usage: CertificateRequest["usage"],
  keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  issuer: Issuer,
  runtime: Runtime,
  validMs: number,
  names: Pick<CertificateRequest, "dnsNames" | "addresses"> = {},
): KeyPair {
  const now = runtime.clock.now();
  const der = signCertificate(
    {
      serial: freshSerial(runtime),
      subject,
      usage,
      notBefore: now - hourMs,
      notAfter: now + validMs,
      ...names,
    },
    keys.publicKey,
    issuer,
  );
  return {
    cert: toPem("CERTIFICATE", der),
    key: keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function issuerOf(authority: Authority): Issuer {
  const privateKey = createPrivateKey(authority.key);
  return {
    subject: { commonName: authority.commonName },
    privateKey,
    publicKey: createPublicKey(privateKey),
  };
}
