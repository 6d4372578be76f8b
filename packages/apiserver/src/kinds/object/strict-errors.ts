// Collects what strict decoding complains about, in the order of the document, each complaint once and a hundred at most.
// The parser has found the duplicate keys; only the decoder knows which fields exist, so the two meet here.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/kubernetes_patch.go (saveStrictError).
import type { ParsedJson } from "homeostat/api";
import { quoteGo } from "../../registry/field-error.ts";

/** Fed by the decoder as it walks. */
export interface StrictErrors {
  unknown(path: readonly string[], key: string): void;
  known(path: readonly string[], key: string): void;
  texts(): readonly string[];
}

const most = 100;

/** For one document. Unknown fields come first where the document's order cannot be told from the parsed value. */
export function createStrictErrors(body: ParsedJson): StrictErrors {
  const unknown: string[] = [];
  const duplicates = new Set(body.duplicates);
  const real = new Set<string>();
  const join = (path: readonly string[], key: string): string => (path.length ? `${path.join("")}.${key}` : key);
  return {
    unknown: (path, key) => void unknown.push(`unknown field ${quoteGo(join(path, key))}`),
    known(path, key) {
      if (!duplicates.size) return;
      const full = join(path, key);
      if (duplicates.has(full)) real.add(full);
    },
    texts: () => {
      const doubled = [...duplicates].filter((path) => real.has(path)).map((path) => `duplicate field ${quoteGo(path)}`);
      return [...new Set([...unknown, ...doubled])].slice(0, most);
    },
  };
}
