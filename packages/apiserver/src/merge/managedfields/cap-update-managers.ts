// Limits the number of Update entries of an object: the oldest merge into one entry per apiVersion.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/capmanagers.go.
import { compareBytewise } from "homeostat/api";
import { union } from "../fieldpath/field-set.ts";
import { formatManagerId, type Managed, secondOf } from "./managed-fields.ts";
import type { VersionedSet } from "./managers.ts";

const maxUpdateManagers = 10;
const bucketName = "ancient-changes";

/** Apply entries do not count. */
export function capUpdateManagers({ managers, times }: Managed): Managed {
  const updaters = [...managers].filter(([, { applied }]) => !applied).map(([id]) => id);
  if (updaters.length <= maxUpdateManagers) return { managers, times };
  updaters.sort((a, b) => secondOf(times.get(a)) - secondOf(times.get(b)) || compareBytewise(a, b));
  const left = new Map<string, VersionedSet>(managers),
    leftTimes = new Map(times);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const id of updaters) {
    if (count <= maxUpdateManagers) break;
    const owner = managers.get(id)!;
    const first = firstOf.get(owner.apiVersion);
    // Merging needs two entries of a version.
    if (first === undefined) {
      firstOf.set(owner.apiVersion, id);
      continue;
    }
    const bucket = formatManagerId({
      manager: bucketName,
      operation: "Update",
      apiVersion: owner.apiVersion,
      subresource: "",
    });
    if (!left.has(bucket)) {
      left.set(bucket, left.get(first)!);
      left.delete(first);
    }
    left.set(bucket, { ...owner, set: union(owner.set, left.get(bucket)!.set) });
    left.delete(id);
    count--;
    const time = times.get(id);
    if (time === undefined) leftTimes.delete(bucket);
    else leftTimes.set(bucket, time);
  }
  return { managers: left, times: leftTimes };
}
