// Defaults of the spec of a PersistentVolumeClaim, in claims, in templates of StatefulSets, and in
// ephemeral volumes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_PersistentVolumeClaimSpec).
import type { Decoded } from "homeostat/api";
import type { PersistentVolumeClaimSpec } from "homeostat/k8s/core/v1";
import { roundResources } from "../resources/resource-lists.ts";

/** Sets the defaults of a claim's spec, in place. */
export function setClaimSpecDefaults(spec: Decoded<PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= "Filesystem";
  roundResources(spec.resources ?? {});
}
