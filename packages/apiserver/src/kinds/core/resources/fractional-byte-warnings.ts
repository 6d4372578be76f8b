// Warnings on quantities of bytes that are no integers.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go.
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import { nanoOf } from "./resource-lists.ts";

/** One warning for each of the named resources of a list that is no integer. */
export function fractionalByteWarnings(
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
