// Two lists of tolerations as one, without those that another one includes.
// Upstream: k8s.io/kubernetes/pkg/util/tolerations/tolerations.go (MergeTolerations).
import { equalJson, type JsonObject } from "homeostat/api";
import { isSet, numberAt, stringAt } from "../apimachinery/meta/read-fields.ts";

/** Keeps the order; of equal ones the first stays. */
export function mergeTolerations(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  all.forEach((each, i) => {
    const isKnown = merged.some((other) => includes(other, each));
    const isToCome = all
      .slice(i + 1)
      .some((other) => !equalJson(each, other) && includes(other, each));
    if (!isKnown && !isToCome) merged.push(each);
  });
  return merged;
}

/** Whether `wide` tolerates all that `narrow` does. */
function includes(wide: JsonObject, narrow: JsonObject): boolean {
  if (equalJson(wide, narrow)) return true;
  const operator = stringAt(wide, "operator");
  if (
    stringAt(narrow, "key") !== stringAt(wide, "key") &&
    (stringAt(wide, "key") || operator !== "Exists")
  )
    return false;
  const effect = stringAt(wide, "effect");
  if (effect && stringAt(narrow, "effect") !== effect) return false;
  if (
    effect === "NoExecute" &&
    isSet(wide["tolerationSeconds"]) &&
    (!isSet(narrow["tolerationSeconds"]) ||
      numberAt(narrow, "tolerationSeconds") > numberAt(wide, "tolerationSeconds"))
  )
    return false;
  if (operator === "Exists") return true;
  return (
    (operator === "" || operator === "Equal") &&
    stringAt(narrow, "operator") === "Equal" &&
    stringAt(narrow, "value") === stringAt(wide, "value")
  );
}
