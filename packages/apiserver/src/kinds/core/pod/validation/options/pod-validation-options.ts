// The options on which the validation of a PodSpec depends. Upstream has many more, for what older
// servers stored; objects of this server have passed the present validation.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (GetValidationOptionsFromPodSpecAndMeta),
// pkg/features (1.36's defaults).
import type { Decoded } from "homeostat/api";
import type { PodSpec } from "homeostat/k8s/core/v1";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";

/** Options of the validation. */
export interface PodValidationOptions {
  /** A pod rather than a template. */
  readonly isPod: boolean;
  /**
   * Allows policies other than Recursive, which need a feature gate that is off, because the stored
   * spec has one.
   */
  readonly anySelinuxChangePolicy: boolean;
}

/** The options for a pod or a template, given the stored PodSpec. */
export function podValidationOptions(
  of: "pod" | "template",
  oldSpec?: Decoded<PodSpec>,
): PodValidationOptions {
  return {
    isPod: of === "pod",
    anySelinuxChangePolicy:
      oldSpec !== undefined && isSet(oldSpec.securityContext?.seLinuxChangePolicy),
  };
}
