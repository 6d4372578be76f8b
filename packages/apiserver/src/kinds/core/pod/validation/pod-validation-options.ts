// What the rules of a PodSpec depend on beyond the spec itself. Upstream's many allowances for what
// older servers stored are left out: everything that is stored here has passed these very rules.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (GetValidationOptionsFromPodSpecAndMeta),
// pkg/features (1.36's defaults).
import type { Decoded } from "homeostat/api";
import type { PodSpec } from "homeostat/k8s/core/v1";
import { isSet } from "../../../../apimachinery/meta/read-fields.ts";

/** How strict the rules are. */
export interface PodValidationOptions {
  /** A pod rather than a template. */
  readonly isPod: boolean;
  /**
   * Policies other than Recursive wait for a feature gate, unless the stored spec names one
   * already.
   */
  readonly anySelinuxChangePolicy: boolean;
}

/** The rules for a pod or a template, given the stored PodSpec. */
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
