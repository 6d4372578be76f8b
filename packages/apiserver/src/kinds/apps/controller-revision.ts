// ControllerRevisions: a number and data that never changes.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/controllerrevision/strategy.go,
// pkg/apis/apps/validation/validation.go.
import {
  controllerOf,
  isObject,
  type Json,
  type JsonObject,
  type KubeObject,
  parseApiVersion,
} from "homeostat/api";
import { type FieldError, required } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { nonNegative } from "../validation/field-rules.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet, numberAt } from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, immutable } from "../definition/default-strategy.ts";

export const controllerRevision: KindDefinition = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  strategy: {
    validateCreate: (object) => [...revisionErrors(object), ...dataErrors(object["data"])],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
      ...revisionErrors(object),
      ...immutable("data", object["data"] ?? null, old["data"] ?? null),
    ],
  },
  cells: (object, nowMs) => [
    nameOf(object),
    ownerCell(object),
    numberAt(object, "revision"),
    ageOf(object, nowMs),
  ],
};

const revisionErrors = (object: JsonObject): FieldError[] => [
  ...finalizerErrors(object),
  ...nonNegative(numberAt(object, "revision"), "revision"),
];

function dataErrors(data: Json | undefined): FieldError[] {
  if (!isSet(data)) return [required("data", "data is mandatory")];
  return isObject(data) ? [] : [required("data", "data must be a valid JSON object")];
}

function ownerCell(object: JsonObject): string {
  const owner = controllerOf(object as unknown as KubeObject);
  if (!owner) return "<none>";
  const group = parseApiVersion(owner.apiVersion)?.group ?? "";
  return `${(group ? `${owner.kind}.${group}` : owner.kind).toLowerCase()}/${owner.name}`;
}
