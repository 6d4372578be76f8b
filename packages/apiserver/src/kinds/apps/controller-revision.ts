// ControllerRevisions: a number and immutable data.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/controllerrevision/strategy.go,
// pkg/apis/apps/validation/validation.go.
import { type Decoded, isObject, type Json, parseApiVersion } from "homeostat/api";
import type { ControllerRevision } from "homeostat/k8s/apps/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { finalizerErrors, immutable } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";

export const controllerRevision: KindDefinition<Decoded<ControllerRevision>> = {
  ...gvk("apps/v1", "ControllerRevision"),
  strategy: {
    validateCreate: (object) => [...validateRevision(object), ...validateData(object.data)],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
      ...validateRevision(object),
      ...immutable("data", object.data ?? null, old.data ?? null),
    ],
  },
  cells: (object, ages) => [
    nameOf(object),
    controllerCell(object),
    Number(object.revision ?? 0),
    ageOf(object, ages),
  ],
};

const validateRevision = (object: Decoded<ControllerRevision>): FieldError[] => [
  ...finalizerErrors(object),
  ...nonNegative(Number(object.revision ?? 0), "revision"),
];

function validateData(data: Json | undefined): FieldError[] {
  if (!isSet(data)) return [fieldError.required("data", "data is mandatory")];
  return errorIf(!isObject(data), () =>
    fieldError.required("data", "data must be a valid JSON object"),
  );
}

/** The controller, e.g. `statefulset.apps/web`. */
function controllerCell({ metadata }: Decoded<ControllerRevision>): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return "<none>";
  const group = parseApiVersion(owner.apiVersion ?? "")?.group ?? "";
  return `${(group ? `${owner.kind}.${group}` : (owner.kind ?? "")).toLowerCase()}/${owner.name}`;
}
