// Reads an Accept header as upstream does: clauses by quality, exact types before wildcards, and
// wildcards of better quality behind exact types too.
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
  for (let i = 1; i < clauses.length; i++)
    for (let at = i; at > 0 && precedes(clauses[at]!, clauses[at - 1]!); at--)
      [clauses[at - 1], clauses[at]] = [clauses[at]!, clauses[at - 1]!];
  return clauses;
}

function parseClause(text: string): readonly AcceptClause[] {
  const [media = "", ...parts] = text.replace(/^ +| +$/g, "").split(";");
  const [type = "", subtype, ...more] = media.split("/").map((part) => part.trim());
  if (more.join("/") || (!subtype && type !== "*")) return [];
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of parts) {
    const [name = "", value, ...more] = part.split("=");
    if (!value || more.join("=")) continue;
    if (name.trim() === "q") quality = qualityOf(value);
    else parameters.set(name.trim(), value.trim());
  }
  return [{ type, subtype: subtype || "*", quality, parameters }];
}

/** As Go's ParseFloat reads it, which trims nothing; 0 for what is no number. */
function qualityOf(text: string): number {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : 0;
}

/**
 * Upstream's order is none: a wildcard of better quality and an exact type each precede the other.
 * The result is that of Go's sort for up to twelve clauses, an insertion sort.
 */
function precedes(a: AcceptClause, b: AcceptClause): boolean {
  return (
    a.quality > b.quality ||
    (a.type !== "*" && b.type === "*") ||
    (a.subtype !== "*" && b.subtype === "*")
  );
}
