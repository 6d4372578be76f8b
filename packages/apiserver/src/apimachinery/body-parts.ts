// A body gathered from bytes that stand elsewhere, such as stored objects: a list of ten thousand
// is sent through one small buffer, and no copy of the whole is made.

/**
 * What is sent at once of a long body: few writes, and its bytes are still in the processor's cache
 * when they are encrypted.
 */
export const slabBytes = 64 * 1024;

/** The parts of a body, in order. They are shared and must not be mutated. */
export class BodyParts {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes in all. */
  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#length += part.length;
  }

  /** Adds text. */
  text(text: string): void {
    this.add(Buffer.from(text));
  }

  /** Adds the parts of another body. */
  append(body: BodyParts): void {
    for (const part of body.#parts) this.add(part);
  }

  /** One copy of all parts. */
  join(): Uint8Array {
    const [slab = new Uint8Array(0)] = this.slabs(this.#length);
    return slab;
  }

  /**
   * The body in slabs of `size` bytes, of which the last may be shorter. Each is a view of the same
   * memory: it holds until the next one is asked for.
   */
  *slabs(size: number): Generator<Uint8Array, void, undefined> {
    const slab = new Uint8Array(Buffer.allocUnsafeSlow(Math.min(size, this.#length)).buffer);
    let at = 0;
    for (const part of this.#parts) {
      let from = 0;
      while (part.length - from > slab.length - at) {
        slab.set(part.subarray(from, from + slab.length - at), at);
        from += slab.length - at;
        yield slab;
        at = 0;
      }
      copyTo(slab, at, part, from);
      at += part.length - from;
    }
    if (at > 0) yield slab.subarray(0, at);
  }
}

/** Most parts between items are a byte or two, for which a call of `set` is dear. */
function copyTo(slab: Uint8Array, at: number, part: Uint8Array, from: number): void {
  if (part.length - from > 4) slab.set(from === 0 ? part : part.subarray(from), at);
  else for (let i = from; i < part.length; i++) slab[at++] = part[i]!;
}
