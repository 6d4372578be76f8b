// Warnings on the spec of a PersistentVolumeClaim.
// Upstream: k8s.io/kubernetes/pkg/api/persistentvolumeclaim/util.go
// (GetWarningsForPersistentVolumeClaimSpec).
import type { Decoded } from "homeostat/api";
import type { PersistentVolumeClaimSpec } from "homeostat/k8s/core/v1";
import { fractionalByteWarnings } from "../resources/fractional-byte-warnings.ts";

/** Warnings on the claim's spec at `path`. */
export function claimSpecWarnings(
  spec: Decoded<PersistentVolumeClaimSpec>,
  path: string,
): string[] {
  const resources = spec.resources ?? {};
  return (["requests", "limits"] as const).flatMap((bound) =>
    fractionalByteWarnings(resources[bound] ?? {}, ["storage"], `${path}.resources.${bound}`),
  );
}
