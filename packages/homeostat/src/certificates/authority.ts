// Creates certificate authorities, and issues their serving and client certificates. Keys stay in
// memory unless the caller stores them.
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { Runtime } from "../runtime/index.ts";
import {
  type CertificateRequest,
  freshSerial,
  generateKeys,
  type Issuer,
  signCertificate,
  toPem,
} from "./certificate.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A key pair that issues certificates. */
export interface Authority extends KeyPair {
  readonly commonName: string;
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

/** Creates a self-signed authority; valid for ten years unless `validMs` says otherwise. */
export function createAuthority(options: {
  readonly runtime: Runtime;
  readonly commonName?: string;
  readonly validMs?: number;
}): Authority {
  const commonName = options.commonName ?? "homeostat";
  const keys = generateKeys();
  const subject = { commonName };
  const pair = issue(
    { subject, usage: "authority", validMs: options.validMs ?? 10 * yearMs },
    keys,
    { subject, ...keys },
    options.runtime,
  );
  return { ...pair, commonName };
}

/**
 * Issues a serving certificate for these DNS names and IP addresses; valid for one year unless
 * `validMs` says otherwise.
 */
export function issueServingCertificate(
  authority: Authority,
  options: {
    readonly runtime: Runtime;
    readonly names: readonly string[];
    readonly addresses?: readonly string[];
    readonly validMs?: number;
  },
): KeyPair {
  const subject = { commonName: options.names[0] ?? "kube-apiserver" };
  const profile: CertificateProfile = {
    subject,
    usage: "server",
    validMs: options.validMs ?? yearMs,
    dnsNames: options.names,
    addresses: options.addresses ?? [],
  };
  return issue(profile, generateKeys(), issuerOf(authority), options.runtime);
}

/** Issues a client certificate for `user` in these groups; valid for one year. */
export function issueClientCertificate(
  authority: Authority,
  options: {
    readonly runtime: Runtime;
    readonly user: string;
    readonly groups?: readonly string[];
  },
): KeyPair {
  const subject = { commonName: options.user, organizations: options.groups ?? [] };
  const profile: CertificateProfile = { subject, usage: "client", validMs: yearMs };
  return issue(profile, generateKeys(), issuerOf(authority), options.runtime);
}

type CertificateProfile = Omit<CertificateRequest, "serial" | "notBefore" | "notAfter"> & {
  readonly validMs: number;
};

function issue(
  { validMs, ...content }: CertificateProfile,
  keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  issuer: Issuer,
  runtime: Runtime,
): KeyPair {
  const now = runtime.clock.now();
  const der = signCertificate(
    {
      ...content,
      serial: freshSerial(runtime),
      notBefore: now - hourMs,
      notAfter: now + validMs,
    },
    keys.publicKey,
    issuer,
  );
  return {
    cert: toPem("CERTIFICATE", der),
    key: keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** The issuer of certificates that an authority signs. */
export function issuerOf(authority: Authority): Issuer {
  const privateKey = createPrivateKey(authority.key);
  return {
    subject: { commonName: authority.commonName },
    privateKey,
    publicKey: createPublicKey(privateKey),
  };
}
