// Persistent volume claims. What the admission plug-in StorageObjectInUseProtection does is part of
// creation here.
// Upstream: k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/strategy.go,
// pkg/api/persistentvolumeclaim/util.go, pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimUpdate).
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  forbiddenChange,
  invalid,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  mutableAt,
  optionalTextAt,
  setIfEmpty,
  textMapAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, immutable, keepOld } from "../definition/default-strategy.ts";
import { diffPrinted } from "../printers/unified-diff.ts";
import { accessModesOf, addFinalizer, classAnnotation, classOf } from "./persistent-storage.ts";
import { nanoOf, roundList } from "./resources/resource-lists.ts";
import { validateClaimSpec } from "./persistent-volume-claim/validate-claim-spec.ts";
import { claimSpecWarnings } from "./persistent-volume-claim/claim-spec-warnings.ts";
import { setClaimSpecDefaults } from "./persistent-volume-claim/claim-spec-defaults.ts";
import { validateClaimStatus } from "./validate-claim-status.ts";

export const persistentVolumeClaim: KindDefinition = {
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  returnsDeletedObject: true,
  defaults(object) {
    if (!isSet(object["status"])) object["status"] = {};
    const status = objectAt(object, "status");
    setIfEmpty(status, "phase", "Pending");
    for (const list of ["capacity", "allocatedResources"]) roundList(mutableAt(status, list));
    const spec = mutableAt(object, "spec");
    if (spec) setClaimSpecDefaults(spec);
  },
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object["status"] = { phase: "Pending" };
      alignSources(objectAt(object, "spec"), undefined);
      addFinalizer(object, "kubernetes.io/pvc-protection");
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      alignSources(objectAt(object, "spec"), objectAt(old, "spec"));
    },
    validateCreate: (object, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateClaimSpec(objectAt(object, "spec"), "spec"),
      ]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validateClaimSpec(objectAt(object, "spec"), "spec"),
        ...changeErrors(object, old),
      ]),
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
      validateUpdate: validateClaimStatus,
    },
  },
  cells,
};

/**
 * The two fields for a source say the same; the older one knows claims and snapshots only, the
 * newer one no other namespaces.
 */
function alignSources(spec: JsonObject, old: JsonObject | undefined): void {
  const wasUsed = old !== undefined && (isSet(old["dataSource"]) || isSet(old["dataSourceRef"]));
  if (!isSet(old?.["dataSourceRef"]) && stringAt(objectAt(spec, "dataSourceRef"), "namespace"))
    delete spec["dataSourceRef"];
  const [source, reference] = [mutableAt(spec, "dataSource"), mutableAt(spec, "dataSourceRef")];
  if (!wasUsed && !reference && source && !isClaimOrSnapshot(source)) delete spec["dataSource"];
  else if (source && !reference) spec["dataSourceRef"] = { ...source };
  else if (!source && reference && !stringAt(reference, "namespace"))
    spec["dataSource"] = { ...reference };
}

function isClaimOrSnapshot(source: JsonObject): boolean {
  const kind = stringAt(source, "kind");
  const group = stringAt(source, "apiGroup");
  return (
    (kind === "PersistentVolumeClaim" && group === "") ||
    (kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io")
  );
}

/** Specs are frozen, but for size and attributes of bound claims. */
function changeErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const [spec, before] = [objectAt(object, "spec"), objectAt(old, "spec")];
  const [frozen, changed] = comparable(object, old);
  return [
    ...annotationErrors(object, old),
    ...(equalJson(changed, frozen)
      ? []
      : [
          forbiddenChange(
            "spec",
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
            {
              type: "core.PersistentVolumeClaimSpec",
              before: frozen,
              after: changed,
              diff: diffPrinted,
            },
          ),
        ]),
    ...sizeErrors(
      sizeOf(spec),
      sizeOf(before),
      textMapAt(objectAt(old, "status"), "capacity")["storage"],
    ),
    ...immutable("volumeMode", spec["volumeMode"], before["volumeMode"]),
    ...attributesErrors(spec, before, objectAt(old, "status")),
  ];
}

const sizeOf = (spec: JsonObject): string =>
  textMapAt(objectAt(spec, "resources"), "requests")["storage"] ?? "0";

/** The old and the new spec, made alike where a change is allowed. */
function comparable(
  object: JsonObject,
  old: JsonObject,
): readonly [frozen: JsonObject, changed: JsonObject] {
  const frozen = { ...objectAt(old, "spec") };
  const changed = { ...objectAt(object, "spec") };
  if (!stringAt(frozen, "volumeName")) keepOld(frozen, changed, "volumeName");
  if (hasClassAnnotation(old) && changed["storageClassName"] === classOf(old))
    delete changed["storageClassName"];
  else if (!isSet(frozen["storageClassName"]) && !hasClassAnnotation(old))
    keepOld(changed, frozen, "storageClassName");
  if (stringAt(objectAt(object, "status"), "phase") !== "Bound") return [frozen, changed];
  keepOld(changed, frozen, "volumeAttributesClassName");
  const resources = objectAt(changed, "resources");
  if (isSet(resources["requests"]))
    changed["resources"] = {
      ...resources,
      requests: { ...textMapAt(resources, "requests"), storage: sizeOf(frozen) },
    };
  return [frozen, changed];
}

const hasClassAnnotation = (object: JsonObject): boolean =>
  textMapAt(metadataOf(object), "annotations")[classAnnotation] !== undefined;

function annotationErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const [now, before] = [object, old].map(
    (each) => textMapAt(metadataOf(each), "annotations")[classAnnotation] ?? "",
  );
  const moved =
    before && !now && optionalTextAt(objectAt(object, "spec"), "storageClassName") === before;
  return now === before || moved
    ? []
    : [invalid(`metadata.annotations[${classAnnotation}]`, now, "field is immutable")];
}

/**
 * Shrinking is for recovery from an expansion that failed: never to what the volume already has, or
 * below.
 */
function sizeErrors(size: string, before: string, capacity: string | undefined): FieldError[] {
  if (nanoOf(size) >= nanoOf(before) || nanoOf(size) > nanoOf(capacity)) return [];
  return [
    forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"),
  ];
}

function attributesErrors(spec: JsonObject, before: JsonObject, status: JsonObject): FieldError[] {
  const field = "volumeAttributesClassName";
  const now = optionalTextAt(spec, field);
  if (
    now === optionalTextAt(before, field) ||
    !isSet(status["currentVolumeAttributesClassName"]) ||
    now
  )
    return [];
  return [
    forbidden(
      `spec.${field}`,
      `update to ${now === undefined ? "nil" : "empty string"} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ];
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  if (hasClassAnnotation(object))
    context.warn(
      `metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  for (const text of claimSpecWarnings(objectAt(object, "spec"), "spec")) context.warn(text);
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const volume = stringAt(spec, "volumeName");
  return [
    nameOf(object),
    isSet(metadataOf(object)["deletionTimestamp"]) ? "Terminating" : stringAt(status, "phase"),
    volume,
    volume ? (textMapAt(status, "capacity")["storage"] ?? "0") : "",
    volume ? accessModesOf(status) : "",
    classOf(object),
    optionalTextAt(spec, "volumeAttributesClassName") ?? "<unset>",
    ageOf(object, nowMs),
    optionalTextAt(spec, "volumeMode") ?? "<unset>",
  ];
}
