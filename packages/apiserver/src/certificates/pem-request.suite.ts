// Certificate requests in the form of OpenSSL, for tests. Their signatures are invalid, which their
// readers do not check.
import type { KeyObject } from "node:crypto";
import { oid, sequence, setOf, tlv, utf8 } from "./der.ts";
import { toPem } from "./certificate.ts";

/** A request in PEM, with the subject's attributes by OID, e.g. `["2.5.4.10", "system:nodes"]`. */
export function pemRequest(
  publicKey: KeyObject,
  subject: readonly (readonly [oid: string, value: string])[],
  ...extensions: readonly Uint8Array[]
): string {
  const attributes = subject.map(([id, value]) => setOf(sequence(oid(id), utf8(value))));
  const info = sequence(
    tlv(0x02, Uint8Array.of(0)),
    sequence(...attributes),
    publicKey.export({ type: "spki", format: "der" }),
    ...extensions,
  );
  const signature = tlv(0x03, Uint8Array.of(0));
  return toPem(
    "CERTIFICATE REQUEST",
    sequence(info, sequence(oid("1.2.840.10045.4.3.2")), signature),
  );
}
