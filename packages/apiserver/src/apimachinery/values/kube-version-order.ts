// The order of API versions: GA before beta before alpha, each by number, newest first; anything
// else last, by name.
// Upstream: k8s.io/apimachinery/pkg/version/helpers.go (CompareKubeAwareVersionStrings).
import { compareBytewise } from "homeostat/api";

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ["alpha", "beta", undefined];

/** Negative when `a` comes first, e.g. v10, v2, v1, v3beta1, v1alpha2, foo. */
export function compareKubeVersions(a: string, b: string): number {
  const left = pattern.exec(a);
  const right = pattern.exec(b);
  if (!left && !right) return compareBytewise(a, b);
  if (!left || !right) return left ? -1 : 1;
  return (
    stages.indexOf(right[2]) - stages.indexOf(left[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
