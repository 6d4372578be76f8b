// Makes certificates: a first record, and the one that follows from a step.
import { isIP } from "node:net";
import {
  type Authority,
  createAuthority,
  issueServingCertificate,
  type KeyPair,
} from "../../certificates/authority.ts";
import { X509Certificate } from "node:crypto";
import type { Runtime } from "../../runtime/runtime.ts";
import { splitBundle, validityOf } from "./certificate-facts.ts";
import type { PkiLimits, PkiStep } from "./pki.machine.ts";
import type { PkiRecord } from "./pki-record.ts";

/** What certificates are made from. */
export interface PkiMaking {
  readonly runtime: Runtime;
  readonly limits: PkiLimits;
  /** DNS names and addresses that certificates are to serve. */
  readonly names: readonly string[];
}

/**
 * A record from nothing. `trusted` is what caBundles hold already: other replicas may still serve
 * with certificates of those authorities.
 */
export function createRecord(making: PkiMaking, trusted: string): PkiRecord {
  const authority = newAuthority(making);
  const record = { authority, leaf: newLeaf(authority, making) };
  return withPrevious(record, trusted, making);
}

/** The record after a step. */
export function takeStep(record: PkiRecord, step: PkiStep, making: PkiMaking): PkiRecord {
  const { next, previous, ...rest } = record;
  switch (step) {
    case "introduceNext":
      return { ...record, next: { ...newAuthority(making), since: making.runtime.clock.now() } };
    case "promoteNext": {
      const { since: _, ...authority } = next!;
      const trusted = `${record.authority.cert}${previous?.bundle ?? ""}`;
      return withPrevious({ authority, leaf: newLeaf(authority, making) }, trusted, making);
    }
    case "issueLeaf":
      return { ...record, leaf: newLeaf(record.authority, making) };
    case "dropPrevious":
      return { ...rest, ...(next ? { next } : {}) };
  }
}

/** At most this many authorities that sign no more are kept. */
const mostPrevious = 4;

function withPrevious(
  record: PkiRecord,
  trusted: string,
  { runtime: { clock }, limits }: PkiMaking,
): PkiRecord {
  const others = splitBundle(trusted).filter((one) => one !== record.authority.cert);
  const bundle = [...new Set(others)].slice(0, mostPrevious).join("");
  if (bundle === "") return record;
  // At least until all processes have heard of the new one, and serve with it.
  const trustedMs = Math.max(limits.overlapMs, 3 * limits.settleMs);
  return { ...record, previous: { bundle, until: clock.now() + trustedMs } };
}

/** Authorities have names of their own: a verifier finds the issuer by its name. */
function newAuthority({ runtime, limits }: PkiMaking): KeyPair {
  const id = Buffer.from(runtime.entropy.bytes(6)).toString("hex");
  const commonName = `homeostat-webhooks-${id}`;
  const { cert, key } = createAuthority({ runtime, commonName, validMs: limits.authorityMs });
  return { cert, key };
}

/** Valid no longer than its authority. */
function newLeaf(pair: KeyPair, { runtime, limits, names }: PkiMaking): KeyPair {
  const left = validityOf(pair.cert)!.notAfter - runtime.clock.now();
  return issueServingCertificate(asAuthority(pair), {
    runtime,
    names: names.filter((name) => !isIP(name)),
    addresses: names.filter((name) => isIP(name)),
    validMs: Math.min(limits.leafMs, left),
  });
}

function asAuthority({ cert, key }: KeyPair): Authority {
  const { CN: commonName } = new X509Certificate(cert).toLegacyObject().subject as { CN: string };
  return { cert, key, commonName };
}
