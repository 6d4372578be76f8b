// Compares values as they would be written.
// Upstream: k8s.io/apimachinery/pkg/api/equality (Semantic.DeepEqual).
import { equalJson, type Json } from "homeostat/api";

/** True when two values of an API type are the same JSON. Absent equals absent, not empty. */
export function deepEqual<T>(a: T, b: T): boolean {
  return equalJson(a as Json, b as Json);
}
