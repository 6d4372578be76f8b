// Annotations of nodes that hold JSON. Upstream validates them, and nothing else reads them.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation (ValidateNodeSpecificAnnotations),
// k8s.io/component-helpers/scheduling/corev1 (GetAvoidPodsFromNodeAnnotations).
import type { Decoded, JsonObject } from "homeostat/api";
import type { Node, Taint } from "homeostat/k8s/core/v1";
import type { OwnerReference } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, type FieldError } from "../../apimachinery/errors/field-error.ts";
import {
  boolShape,
  decodeShape,
  type Shape,
  structShape,
  textShape,
} from "../serializer/decode-shape.ts";

const path = "metadata.annotations";
const taintsKey = "scheduler.alpha.kubernetes.io/taints";
const avoidPodsKey = "scheduler.alpha.kubernetes.io/preferAvoidPods";

type ValidateTaints = (taints: readonly Decoded<Taint>[], path: string) => FieldError[];

export function annotationErrors(
  { metadata }: Decoded<Node>,
  validateTaints: ValidateTaints,
): FieldError[] {
  const { [taintsKey]: taints, [avoidPodsKey]: avoided } = metadata?.annotations ?? {};
  return [
    ...(taints ? taintsErrors(taints, validateTaints) : []),
    ...(avoided ? avoidPodsErrors(avoided) : []),
  ];
}

function taintsErrors(text: string, validateTaints: ValidateTaints): FieldError[] {
  const decoded = decodeShape(text, taintList);
  if ("error" in decoded) return [fieldError.invalid(path, taintsKey, decoded.error)];
  const taints = ((decoded.value ?? []) as JsonObject[]).map(
    ({ Key: key, Value: value, Effect: effect }) => ({ key, value, effect }) as Decoded<Taint>,
  );
  return validateTaints(taints, `${path}.${taintsKey}`);
}

interface AvoidPods {
  readonly preferAvoidPods?: readonly {
    readonly podSignature?: { readonly podController?: Decoded<OwnerReference> };
  }[];
}

function avoidPodsErrors(text: string): FieldError[] {
  const decoded = decodeShape(text, avoidPods);
  if ("error" in decoded)
    return [fieldError.invalid(`${path}.AvoidPods`, avoidPodsKey, decoded.error)];
  const { preferAvoidPods } = (decoded.value ?? {}) as AvoidPods;
  return eachItem(preferAvoidPods, `${path}.${avoidPodsKey}`, (entry, at) => {
    const controller = entry.podSignature?.podController;
    if (!controller) return [fieldError.required(`${at}.PodSignature`, "")];
    // Upstream panics when `controller` is absent.
    const isController = controller.controller ?? false;
    const where = `${at}.PodSignature.PodController.Controller`;
    return isController
      ? []
      : [fieldError.invalid(where, isController, "must point to a controller")];
  });
}

const time: Shape = { type: "v1.Time", json: "time" };

/** Upstream decodes into its internal type, whose fields have no names for JSON. */
const taintList: Shape = {
  type: "[]core.Taint",
  json: "array",
  items: structShape("core.Taint", {
    Key: textShape,
    Value: textShape,
    Effect: { type: "core.TaintEffect", json: "string" },
    TimeAdded: time,
  }),
};

const avoidPods = structShape("v1.AvoidPods", {
  preferAvoidPods: {
    type: "[]v1.PreferAvoidPodsEntry",
    json: "array",
    items: structShape("v1.PreferAvoidPodsEntry", {
      podSignature: structShape("v1.PodSignature", {
        podController: structShape("v1.OwnerReference", {
          apiVersion: textShape,
          kind: textShape,
          name: textShape,
          uid: { type: "types.UID", json: "string" },
          controller: boolShape,
          blockOwnerDeletion: boolShape,
        }),
      }),
      evictionTime: time,
      reason: textShape,
      message: textShape,
    }),
  },
});
