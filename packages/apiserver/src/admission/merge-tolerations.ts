// Merges two lists of tolerations, without those that another one includes.
// Upstream: k8s.io/kubernetes/pkg/util/tolerations/tolerations.go (MergeTolerations).
import { type Decoded, equalJson } from "homeostat/api";
import type { Toleration } from "homeostat/k8s/core/v1";
import { isSet } from "../apimachinery/meta/read-fields.ts";

/** Keeps the order; of equal ones the first stays. */
export function mergeTolerations(
  first: readonly Decoded<Toleration>[],
  second: readonly Decoded<Toleration>[],
): Decoded<Toleration>[] {
  const all = [...first, ...second];
  const merged: Decoded<Toleration>[] = [];
  all.forEach((each, i) => {
    const isIncluded = merged.some((other) => includesToleration(other, each));
    const isIncludedLater = all
      .slice(i + 1)
      .some((other) => !equalJson(each, other) && includesToleration(other, each));
    if (!isIncluded && !isIncludedLater) merged.push(each);
  });
  return merged;
}

/** Whether `wide` tolerates everything that `narrow` does. */
export function includesToleration(
  wide: Decoded<Toleration>,
  narrow: Decoded<Toleration>,
): boolean {
  if (equalJson(wide, narrow)) return true;
  const operator = wide.operator ?? "";
  if ((narrow.key ?? "") !== (wide.key ?? "") && (wide.key || operator !== "Exists")) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (wide.effect === "NoExecute" && lastsLonger(narrow, wide)) return false;
  if (operator === "Exists") return true;
  return (
    (operator === "" || operator === "Equal") &&
    narrow.operator === "Equal" &&
    (narrow.value ?? "") === (wide.value ?? "")
  );
}

/** Tolerations without seconds last forever. */
const lastsLonger = (narrow: Decoded<Toleration>, wide: Decoded<Toleration>): boolean =>
  isSet(wide.tolerationSeconds) &&
  (!isSet(narrow.tolerationSeconds) || narrow.tolerationSeconds > wide.tolerationSeconds);
