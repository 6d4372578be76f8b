// Writes the protobuf wire format into one growing buffer. Knows no message.

const encoder = new TextEncoder();
/** The longest varint: ten bytes of a negative int64. */
const varintRoom = 10;

/** Appends fields; nested messages are written in place and their length put before them. */
export class WireWriter {
  #buffer = new Uint8Array(512);
  #at = 0;

  /** A copy of what has been written. */
  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#at);
  }

  /** Bytes as they are, without a tag. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** int32, int64 and bool: negative numbers take ten bytes. */
  varint(field: number, value: number | bigint): void {
    this.#varint(field * 8);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    new DataView(this.#buffer.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.bytesHead(field, bytes.length);
    this.raw(bytes);
  }

  /** What stands before the bytes of a field. */
  bytesHead(field: number, length: number): void {
    this.#varint(field * 8 + 2);
    this.#varint(length);
  }

  string(field: number, text: string): void {
    this.nested(field, () => {
      this.#reserve(text.length * 3);
      this.#at += encoder.encodeInto(text, this.#buffer.subarray(this.#at)).written;
    });
  }

  /** A message as a field: `write` writes its content. */
  nested(field: number, write: () => void): void {
    this.#varint(field * 8 + 2);
    this.#reserve(1);
    const lengthAt = this.#at++;
    write();
    const length = this.#at - lengthAt - 1;
    const more = varintBytes(length) - 1;
    // The length is written behind the present end of what counts, so room for it is made while the
    // content still counts.
    this.#reserve(more + varintRoom);
    if (more) this.#buffer.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#at);
    this.#at = lengthAt;
    this.#varint(length);
    this.#at += length;
  }

  #varint(value: number | bigint): void {
    this.#reserve(varintRoom);
    if (typeof value === "bigint" || value < 0 || value > 0x7fff_ffff) {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest > 0x7fn; rest >>= 7n) this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
      this.#buffer[this.#at++] = Number(rest);
      return;
    }
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#at++] = rest;
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.#at + count));
    grown.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = grown;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
