// Reads protobuf messages by field number, for tests.
import { WireReader } from "../wire-reader.ts";

/** The messages and texts under a path of field numbers. */
export function fieldsAt(bytes: Uint8Array, ...path: readonly number[]): readonly Uint8Array[] {
  const [first, ...rest] = path;
  if (first === undefined) return [bytes];
  const reader = new WireReader(bytes);
  const found: Uint8Array[] = [];
  while (!reader.done) {
    const { field, wireType } = reader.tag("test");
    if (wireType === 2 && field === first) found.push(...fieldsAt(reader.bytes(), ...rest));
    else reader.skip(wireType);
  }
  return found;
}

/** The texts under a path of field numbers. */
export const textsAt = (bytes: Uint8Array, ...path: readonly number[]): readonly string[] =>
  fieldsAt(bytes, ...path).map((each) => new TextDecoder().decode(each));
