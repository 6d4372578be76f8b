// Reads the protobuf wire format, with the errors of the code that gogo/protobuf generates for
// Kubernetes. Knows no message.
// Upstream: the Unmarshal methods in k8s.io/api/*/generated.pb.go.

/** The bytes are not a valid message; `message` is upstream's, e.g. `unexpected EOF`. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** The wire type of a field; 3 and 4 enclose groups, which Kubernetes never writes. */
export type WireType = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** A field's number and layout. */
export interface Tag {
  readonly field: number;
  readonly wireType: WireType;
}

const decoder = new TextDecoder();
const unexpectedEnd = "unexpected EOF";
const int32Max = 0x7fff_ffff;

/** A cursor over one message. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** `message` is the Go name that errors mention. */
  tag(message: string): Tag {
    const wire = BigInt(this.varint());
    const field = Number(BigInt.asIntN(32, wire >> 3n));
    const wireType = Number(wire & 7n) as WireType;
    if (wireType === 4)
      throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0)
      throw new ProtobufError(`proto: ${message}: illegal tag ${field} (wire type ${wire})`);
    return { field, wireType };
  }

  /** Up to 64 bits, unsigned; a bigint where a number could not hold it. */
  varint(): number | bigint {
    let low = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++, scale *= 128) {
      const byte = this.#byte();
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return low;
    }
    return this.#longVarint(low);
  }

  int32(): number {
    const value = this.varint();
    return typeof value === "number" && value <= int32Max
      ? value
      : Number(BigInt.asIntN(32, BigInt(value)));
  }

  /** A number where it is exact, else a bigint. */
  int64(): number | bigint {
    const value = this.varint();
    if (typeof value === "number") return value;
    const signed = BigInt.asIntN(64, value);
    return signed >= BigInt(Number.MIN_SAFE_INTEGER) && signed <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(signed)
      : signed;
  }

  bool(): boolean {
    return BigInt(this.varint()) !== 0n;
  }

  double(): number {
    if (this.#at + 8 > this.#end) throw new ProtobufError(unexpectedEnd);
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, 8).getFloat64(
      0,
      true,
    );
    this.#at += 8;
    return value;
  }

  string(): string {
    const [start, end] = this.#range();
    return decoder.decode(this.#bytes.subarray(start, end));
  }

  /** A view, not a copy. */
  bytes(): Uint8Array {
    const [start, end] = this.#range();
    return this.#bytes.subarray(start, end);
  }

  /** A reader of the message that comes next. */
  message(): WireReader {
    const [start, end] = this.#range();
    return new WireReader(this.#bytes, start, end);
  }

  /** Skips the value of an unknown field. */
  skip(wireType: WireType): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#forward(8);
    else if (wireType === 2) this.#range();
    else if (wireType === 5) this.#forward(4);
    else if (wireType === 3) this.#skipGroup();
    else throw new ProtobufError(`proto: illegal wireType ${wireType}`);
  }

  #skipGroup(): void {
    for (let depth = 1; depth > 0;) {
      if (this.done) throw new ProtobufError(unexpectedEnd);
      const wireType = Number(BigInt(this.varint()) & 7n) as WireType;
      if (wireType === 3) depth++;
      else if (wireType === 4) depth--;
      else this.skip(wireType);
    }
  }

  #forward(count: number): void {
    this.#at += count;
    if (this.#at > this.#end) throw new ProtobufError(unexpectedEnd);
  }

  #range(): readonly [start: number, end: number] {
    const length = BigInt.asIntN(64, BigInt(this.varint()));
    if (length < 0n || BigInt(this.#at) + length > 0x7fff_ffff_ffff_ffffn)
      throw new ProtobufError("proto: negative length found during unmarshaling");
    const start = this.#at;
    if (length > BigInt(this.#end - start)) throw new ProtobufError(unexpectedEnd);
    this.#at = start + Number(length);
    return [start, this.#at];
  }

  #longVarint(low: number): bigint {
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError("proto: integer overflow");
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new ProtobufError(unexpectedEnd);
    return this.#bytes[this.#at++]!;
  }
}
