// Parses Warning headers, e.g. `299 - "unknown field \"spec.foo\""`, joined by newlines as
// transports deliver them.
// Upstream: k8s.io/apimachinery/pkg/util/net/http.go ParseWarningHeaders; only code 299 is meant
// for people.

/** The texts of all warnings with code 299. Skips malformed ones. */
export function parseWarnings(header: string | undefined): readonly string[] {
  if (!header) return [];
  const out: string[] = [];
  for (const [, quoted] of header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g))
    out.push(quoted!.replace(/\\(.)/g, "$1"));
  return out;
}
