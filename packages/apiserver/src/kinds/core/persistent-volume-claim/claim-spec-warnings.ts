// Warnings about claims: storage is counted in whole bytes.
// Upstream: k8s.io/kubernetes/pkg/api/persistentvolumeclaim/util.go
// (GetWarningsForPersistentVolumeClaimSpec).
import type { JsonObject } from "homeostat/api";
import { textMapAt, objectAt } from "../../../apimachinery/meta/read-fields.ts";
import { fractionWarnings } from "../resources/fractional-byte-warnings.ts";

/** `path` is that of the claim's spec. */
export function claimWarnings(spec: JsonObject, path: string): string[] {
  const resources = objectAt(spec, "resources");
  return ["requests", "limits"].flatMap((bound) =>
    fractionWarnings(textMapAt(resources, bound), ["storage"], `${path}.resources.${bound}`),
  );
}
