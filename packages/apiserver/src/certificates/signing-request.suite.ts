// Certificate requests in the form of OpenSSL, for tests of their readers.
import { generateKeys, oid, sequence, setOf, tlv, toPem, utf8 } from "homeostat/certificates";

export const keys = generateKeys();

/** A request in PEM. Its signature is invalid, which readers do not check. */
export function encodeRequest(
  subject: readonly (readonly [oid: string, value: string])[],
  ...extensions: readonly Uint8Array[]
): string {
  const attributes = subject.map(([id, value]) => setOf(sequence(oid(id), utf8(value))));
  const spki = keys.publicKey.export({ type: "spki", format: "der" });
  const info = sequence(tlv(0x02, Uint8Array.of(0)), sequence(...attributes), spki, ...extensions);
  const signature = [sequence(oid("1.2.840.10045.4.3.2")), tlv(0x03, Uint8Array.of(0))];
  return toPem("CERTIFICATE REQUEST", sequence(info, ...signature));
}
