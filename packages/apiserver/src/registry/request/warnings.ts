// Collects the Warning headers of a response, e.g. `299 - "unknown field \"spec.a\""`: each text
// once, and within a total that clients accept. Lengths are in code points, as Go counts runes.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go,
// k8s.io/apimachinery/pkg/util/net/http.go (NewWarningHeader).
const maxTotal = 4 * 1024;
const maxEach = 256;

/** Collects warnings of one request: each text once. */
export class Warnings {
  readonly #texts = new Set<string>();
  #headers: string[] = [];
  #written = 0;
  /** Set once the total is exceeded: each text is then cut, and none is added beyond the total. */
  #cutting = false;

  /** A text with control characters is dropped: a header cannot contain it. */
  add(text: string): void {
    if (!text || (this.#cutting && this.#written >= maxTotal) || this.#texts.has(text)) return;
    this.#texts.add(text);
    const length = Math.min(lengthOf(text), this.#cutting ? maxEach : Number.POSITIVE_INFINITY);
    if (this.#cutting || controls.test(text) || this.#written + length <= maxTotal)
      this.#write(text);
    else this.#startAgain();
  }

  /** Header values. */
  headers(): readonly string[] {
    return this.#headers;
  }

  /** Writes the texts collected so far again, cut, even if they exceed the total. */
  #startAgain(): void {
    this.#cutting = true;
    this.#written = 0;
    this.#headers = [];
    for (const text of this.#texts) this.#write(text);
  }

  #write(text: string): void {
    const whole = text.toWellFormed();
    const sent = this.#cutting ? firstCharacters(whole, maxEach) : whole;
    if (controls.test(sent)) return;
    this.#written += lengthOf(sent);
    this.#headers.push(`299 - "${sent.replace(/["\\]/g, "\\$&")}"`);
  }
}

const controls = /\p{Cc}/u;

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function firstCharacters(text: string, count: number): string {
  // A character takes at most two units, so a long text need not be split as a whole.
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join("");
}
