// Warnings that an answer carries in its headers, e.g. `299 - "unknown field \"spec.a\""`.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go, k8s.io/apimachinery/pkg/util/net/http.go (NewWarningHeader).
const maxTotalBytes = 4 * 1024;
const maxEachBytes = 256;

/** Collects warnings of one request: each text once. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text) this.#texts.add(text);
  }

  /** Header values; when all together are too long, each is cut. */
  headers(): readonly string[] {
    const texts = [...this.#texts];
    const total = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return texts.map((text) => formatWarning(total > maxTotalBytes ? cut(text) : text));
  }
}

function formatWarning(text: string): string {
  const printable = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
  return `299 - "${printable.replace(/["\\]/g, "\\$&")}"`;
}

function cut(text: string): string {
  return Buffer.from(text)
    .subarray(0, maxEachBytes)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}
