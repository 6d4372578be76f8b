// Collects the errors of strict decoding in the order of the document, each once and a hundred at
// most. The parser finds duplicate keys, and the decoder unknown fields; this file merges both.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/kubernetes_patch.go (saveStrictError).
import type { ParsedJson } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";

/** Fed by the decoder as it walks. */
export interface StrictErrors {
  unknown(path: string, key: string): void;
  known(path: string, key: string): void;
  texts(): readonly string[];
}

const most = 100;

/** For one document. */
export function createStrictErrors(body: ParsedJson): StrictErrors {
  const unknown: string[] = [];
  /** By key walked over: whether it is a field, and the number of unknown fields before it. */
  const walked = new Map<string, { readonly known: boolean; readonly before: number }>();
  const walk = (path: string, key: string, known: boolean): void => {
    const full = path ? `${path}.${key}` : key;
    if (!known) unknown.push(`unknown field ${quoteGo(full)}`);
    if (body.duplicates.length) walked.set(full, { known, before: unknown.length });
  };
  /** The nearest key on a path that was walked over. */
  const nearest = (
    from: string,
  ): { readonly path: string; readonly known: boolean; readonly before: number } => {
    for (let path = from; path; path = path.replace(/(?:\.[^.[\]]*|\[[^\]]*\]|^[^.[]*)$/, "")) {
      const met = walked.get(path);
      if (met) return { path, ...met };
    }
    return { path: "", known: false, before: 0 };
  };
  /**
   * A key counts where the decoder reads it, or would read it without a later duplicate of its
   * parent.
   */
  const counts = (key: string): boolean => {
    const { path, known } = nearest(key);
    return known && (path === key || body.duplicates.includes(path));
  };
  return {
    unknown: (path, key) => walk(path, key, false),
    known: (path, key) => walk(path, key, true),
    texts() {
      if (!body.duplicates.length) return [...new Set(unknown)].slice(0, most);
      const doubled = body.duplicates
        .map((path, i) => ({ path, at: nearest(body.duplicatesAfter?.[i] ?? path).before }))
        .filter(({ path }) => counts(path));
      const inOrder = Array.from({ length: unknown.length + 1 }, (_, i) => [
        ...(i ? [unknown[i - 1]!] : []),
        ...doubled
          .filter(({ at }) => at === i)
          .map(({ path }) => `duplicate field ${quoteGo(path)}`),
      ]).flat();
      return [...new Set(inOrder)].slice(0, most);
    },
  };
}
