// Randomness as a parameter: uids, generated names and jitter all come from here, so that a seed
// repeats a run.

/** A source of random bytes. */
export interface Entropy {
  /** Returns `n` fresh random bytes; the caller owns the array. */
  bytes(n: number): Uint8Array;
}

/**
 * Formats 16 bytes of entropy as a version 4 UUID, e.g. `0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d` (RFC
 * 9562 section 5.4).
 */
export function uuid(entropy: Entropy): string {
  const b = entropy.bytes(16);
  b[6] = (b[6]! & 0x0f) | 0x40;
  b[8] = (b[8]! & 0x3f) | 0x80;
  let hex = "";
  for (const byte of b) hex += (byte + 0x100).toString(16).slice(1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A number in [0, 1), from 48 random bits: for jitter. */
export function unitInterval(entropy: Entropy): number {
  const b = entropy.bytes(6);
  let n = 0;
  for (const byte of b) n = n * 256 + byte;
  return n / 2 ** 48;
}
