// The order of resourceVersions. They are opaque strings; since Kubernetes 1.35 clients may compare
// them as integers (KEP-5504), within one resource.

const integer = /^(?:0|[1-9]\d*)$/;

/**
 * Negative when `a` is older, 0 when equal, positive when newer; undefined if one is not an
 * integer.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!integer.test(a) || !integer.test(b)) return undefined;
  return a.length - b.length || (a < b ? -1 : 1);
}
