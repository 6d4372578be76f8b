// The certificates as the Secret keeps them. `tls.crt`, `tls.key` and `ca.crt` are as in every
// Secret of type kubernetes.io/tls, so that others can read them.
import type { KeyPair } from "../../certificates/authority.ts";
import {
  isAuthority,
  isIssuedBy,
  isKeyPair,
  servesNames,
  splitBundle,
  validityOf,
} from "./certificate-facts.ts";
import type { PkiFacts } from "./pki.machine.ts";

/** What the Secret holds. */
export interface PkiRecord {
  readonly leaf: KeyPair;
  /** The authority that has signed `leaf`, and signs. */
  readonly authority: KeyPair;
  readonly next?: KeyPair & { readonly since: number };
  /** Authorities that sign no more, as one PEM text. */
  readonly previous?: { readonly bundle: string; readonly until: number };
}

/** The names of the Secret's data. */
export type PkiData = Readonly<Record<string, string>>;

/** All trusted authorities as one PEM text: what every caBundle is to hold. */
export const bundleOf = ({ authority, next, previous }: PkiRecord): string =>
  [authority.cert, next?.cert ?? "", previous?.bundle ?? ""].join("");

/** The data of the Secret, in base64. */
export function formatRecord(record: PkiRecord): PkiData {
  const { leaf, authority, next, previous } = record;
  const texts: Record<string, string> = {
    "tls.crt": leaf.cert,
    "tls.key": leaf.key,
    "ca.crt": bundleOf(record),
    "authority.crt": authority.cert,
    "authority.key": authority.key,
  };
  if (next) {
    texts["next-authority.crt"] = next.cert;
    texts["next-authority.key"] = next.key;
    texts["next-authority.since"] = formatTime(next.since);
  }
  if (previous) {
    texts["previous-authorities.crt"] = previous.bundle;
    texts["previous-authorities.until"] = formatTime(previous.until);
  }
  const encoded = Object.entries(texts).map(([name, text]) => [
    name,
    Buffer.from(text).toString("base64"),
  ]);
  return Object.fromEntries(encoded) as PkiData;
}

/** The record of a Secret; undefined when it is not whole. */
export function parseRecord(data: PkiData | undefined): PkiRecord | undefined {
  const text = (name: string): string =>
    Buffer.from(String(data?.[name] ?? ""), "base64").toString();
  const pair = (name: string): KeyPair => ({ cert: text(`${name}.crt`), key: text(`${name}.key`) });
  const [leaf, authority, next] = [pair("tls"), pair("authority"), pair("next-authority")];
  if (!isAuthority(authority) || !isKeyPair(leaf)) return undefined;
  const since = Date.parse(text("next-authority.since"));
  const until = Date.parse(text("previous-authorities.until"));
  const bundle = splitBundle(text("previous-authorities.crt")).join("");
  return {
    leaf,
    authority,
    ...(isAuthority(next) && !Number.isNaN(since) ? { next: { ...next, since } } : {}),
    ...(bundle !== "" && !Number.isNaN(until) ? { previous: { bundle, until } } : {}),
  };
}

const formatTime = (ms: number): string => new Date(ms).toISOString();

/** What the record says to {@link decidePki}. `names` are those that the leaf must serve. */
export function factsOf(
  { leaf, authority, next, previous }: PkiRecord,
  names: readonly string[],
): PkiFacts {
  const isFit = isIssuedBy(leaf.cert, authority.cert) && servesNames(leaf.cert, names);
  return {
    authority: validityOf(authority.cert)!,
    leaf: { ...validityOf(leaf.cert)!, isFit },
    ...(next ? { next: { ...validityOf(next.cert)!, since: next.since } } : {}),
    ...(previous ? { previousUntil: previous.until } : {}),
  };
}
