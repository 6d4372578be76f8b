// Reads an Accept header as upstream does: clauses by quality, exact types before wildcards.
// Upstream: github.com/munnerz/goautoneg (ParseAccept).

/** One clause, e.g. `application/json;as=Table;v=v1;g=meta.k8s.io`. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Clauses, best first. Clauses that are no media types are dropped. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses = header.split(",").flatMap(parseClause);
  return clauses.length < 2 ? clauses : clauses.sort(compareClauses);
}

function parseClause(text: string): readonly AcceptClause[] {
  const [media = "", ...parts] = text.split(";");
  const [type = "", subtype, extra] = media.split("/").map((part) => part.trim());
  if (extra !== undefined || (!subtype && type !== "*")) return [];
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of parts) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const name = part.slice(0, at).trim();
    const value = part.slice(at + 1).trim();
    if (name === "q") quality = Number.parseFloat(value) || 0;
    else parameters.set(name, value);
  }
  return [{ type, subtype: subtype || "*", quality, parameters }];
}

function compareClauses(a: AcceptClause, b: AcceptClause): number {
  return (
    b.quality - a.quality ||
    Number(a.type === "*") - Number(b.type === "*") ||
    Number(a.subtype === "*") - Number(b.subtype === "*")
  );
}
