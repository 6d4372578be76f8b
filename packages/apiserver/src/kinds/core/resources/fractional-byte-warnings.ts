// Fractions of a byte are stored, and warned of.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go.
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import { nanoOf } from "./resource-lists.ts";

/** The named resources of a list that are no whole numbers. */
export function fractionWarnings(
  list: Readonly<Record<string, string>>,
  names: readonly string[],
  path: string,
): string[] {
  return names.flatMap((name) => {
    const quantity = list[name];
    return quantity !== undefined && nanoOf(quantity) % 1_000_000_000n !== 0n
      ? [
          `${path}[${name}]: fractional byte value ${quoteGo(quantity)} is invalid, must be an integer`,
        ]
      : [];
  });
}
