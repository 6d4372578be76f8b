// The order of resourceVersions. They are opaque strings; since Kubernetes 1.35 clients may compare
// them as integers (KEP-5504), within one resource.
import { checkArgument } from "../util/call-options.ts";

const integer = /^(?:0|[1-9]\d*)$/;

/**
 * Negative when `a` is older, 0 when equal, positive when newer; undefined if one is not an
 * integer.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (typeof a !== "string" || typeof b !== "string")
    for (const [what, given] of [
      ["its first argument", a],
      ["its second argument", b],
    ] as const)
      checkArgument("compareResourceVersions(…)", [what, given], "a string");
  if (a === b) return 0;
  if (!integer.test(a) || !integer.test(b)) return undefined;
  return a.length - b.length || (a < b ? -1 : 1);
}
