// Validation of the volumes of a pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateVolumes).
import type { Decoded } from "homeostat/api";
import type { Volume } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
} from "../../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import { dnsLabelErrors, requiredValid } from "../../../../validation/field-rules.ts";
import type { PodValidationOptions } from "../options/pod-validation-options.ts";
import { validateVolumeSource } from "./validate-volume-source.ts";

/** Valid volumes of a pod by name. */
export type Volumes = ReadonlyMap<string, Decoded<Volume>>;

/**
 * Validates the volumes at `path`. `podName` is "" for a template. Returns the valid ones, to which
 * containers may refer.
 */
export function validateVolumes(
  volumes: readonly Decoded<Volume>[],
  podName: string,
  path: string,
  options: PodValidationOptions,
): { readonly volumes: Volumes; readonly errors: FieldError[] } {
  const ownClaims = ephemeralClaimsOf(volumes, podName);
  const valid = new Map<string, Decoded<Volume>>();
  const errors = eachItem(volumes, path, (volume, at) => {
    const name = volume.name ?? "";
    const own = [
      ...validateVolumeSource(volume, at, { volumeName: name, podName, options }),
      ...requiredValid(dnsLabelErrors, name, `${at}.name`),
      ...errorIf(valid.has(name), () => fieldError.duplicate(`${at}.name`, name)),
    ];
    if (!own.length) valid.set(name, volume);
    const claim = volume.persistentVolumeClaim?.claimName ?? "";
    if (!claim || !ownClaims.includes(claim)) return own;
    return [
      ...own,
      fieldError.invalid(
        `${at}.persistentVolumeClaim.claimName`,
        claim,
        "must not reference a PVC that gets created for an ephemeral volume",
      ),
    ];
  });
  return { volumes: valid, errors };
}

/** The names of the claims that a controller makes for the pod's ephemeral volumes. */
function ephemeralClaimsOf(volumes: readonly Decoded<Volume>[], podName: string): string[] {
  if (!podName) return [];
  return volumes
    .filter(({ ephemeral }) => isSet(ephemeral))
    .map(({ name }) => `${podName}-${name ?? ""}`);
}
