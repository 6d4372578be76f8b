// Validation of the annotations that have a meaning for pods.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePodSpecificAnnotations, ValidatePodSpecificAnnotationUpdates),
// pkg/apis/core/helper/helpers.go (GetDeletionCostFromPodAnnotations).
import { type Decoded, isObject, type Json, JsonSyntaxError, parseJson } from "homeostat/api";
import type { PodSpec, TaintEffect, Toleration, TolerationOperator } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { appArmorAnnotation, validateAppArmorAnnotations } from "./security/validate-app-armor.ts";
import { validateToleration } from "./validate-scheduling.ts";
import { validateSeccompAnnotations } from "./security/validate-seccomp.ts";

/** Marks the mirror of a static pod. Its value never changes. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";
const tolerationsAnnotation = "scheduler.alpha.kubernetes.io/tolerations";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

type Annotations = Readonly<Record<string, string>>;

/** Validates the annotations of a pod or a template. */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: Decoded<PodSpec>,
  path: string,
): FieldError[] {
  const mirror = annotations[mirrorAnnotation];
  const cost = annotations[deletionCost];
  return [
    ...errorIf(mirror !== undefined && !spec.nodeName, () =>
      fieldError.invalid(
        `${path}[${mirrorAnnotation}]`,
        mirror,
        "must set spec.nodeName if mirror pod annotation is set",
      ),
    ),
    ...(annotations[tolerationsAnnotation]
      ? tolerationErrors(annotations[tolerationsAnnotation], path)
      : []),
    ...errorIf(cost !== undefined && !isInt32(cost), () =>
      fieldError.invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer"),
    ),
    ...validateSeccompAnnotations(annotations, path),
    ...validateAppArmorAnnotations(annotations, spec, path),
  ];
}

/** Whether a text is an int32 without a plus sign and leading zeros. */
const isInt32 = (text: string): boolean =>
  /^(?:0|[1-9][0-9]*|-[0-9]+)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;

function tolerationErrors(text: string, path: string): FieldError[] {
  try {
    const { value } = parseJson(text);
    return Array.isArray(value)
      ? eachItem(
          value.filter(isObject).map(toToleration),
          `${path}.${tolerationsAnnotation}`,
          validateToleration,
        )
      : [];
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      return [fieldError.invalid(path, tolerationsAnnotation, error.message)];
    throw error;
  }
}

/** No decoder has seen the JSON of an annotation; fields of a wrong type count as absent. */
const toToleration = ({
  key,
  operator,
  value,
  effect,
  tolerationSeconds,
}: Partial<Record<keyof Toleration, Json>>): Decoded<Toleration> => ({
  key: textOf(key),
  operator: textOf(operator) as TolerationOperator,
  value: textOf(value),
  effect: textOf(effect) as TaintEffect,
  tolerationSeconds: isSet(tolerationSeconds) ? 0 : null,
});

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Validates the change of annotations, some of which are immutable. */
export function validatePodAnnotationChange(
  annotations: Annotations,
  old: Annotations,
  path: string,
): FieldError[] {
  const changed = Object.keys(old).filter((key) => annotations[key] !== old[key]);
  const added = Object.keys(annotations).filter((key) => !Object.hasOwn(old, key));
  const refused = (keys: readonly string[], verb: string): FieldError[] =>
    keys.flatMap((key) => {
      if (key.startsWith(appArmorAnnotation))
        return [fieldError.forbidden(`${path}[${key}]`, `may not ${verb} AppArmor annotations`)];
      return errorIf(key === mirrorAnnotation, () =>
        fieldError.forbidden(`${path}[${key}]`, `may not ${verb} mirror pod annotation`),
      );
    });
  return [...refused(changed, "remove or update"), ...refused(added, "add")];
}
