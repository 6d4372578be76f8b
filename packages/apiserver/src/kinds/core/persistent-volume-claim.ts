// Persistent volume claims. Creation includes the admission plug-in StorageObjectInUseProtection.
// Upstream: k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/strategy.go,
// pkg/api/persistentvolumeclaim/util.go, pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimUpdate).
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, equalJson, type Json } from "homeostat/api";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { keepOld, statusResetStrategy, statusStrategy } from "../definition/default-strategy.ts";
import { immutable, validateWholeObject } from "../validation/validate-object.ts";
import { diffPrinted } from "../printers/unified-diff.ts";
import * as persistentStorage from "./persistent-volume/persistent-storage.ts";
import { nanoOf, roundList } from "./resources/resource-lists.ts";
import {
  type ClaimSpecValidationOptions,
  validateClaimSpec,
} from "./persistent-volume-claim/validate-claim-spec.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import { claimSpecWarnings } from "./persistent-volume-claim/claim-spec-warnings.ts";
import { setClaimSpecDefaults } from "./persistent-volume-claim/claim-spec-defaults.ts";
import { validateClaimStatus } from "./persistent-volume-claim/validate-claim-status.ts";

export const persistentVolumeClaim: KindDefinition<Decoded<PersistentVolumeClaim>> = {
  ...gvk("v1", "PersistentVolumeClaim"),
  returnsDeletedObject: true,
  createdAs: "undefaulted",
  defaults(object) {
    const status = (object.status ??= {});
    status.phase ||= "Pending";
    roundList(status.capacity);
    roundList(status.allocatedResources);
    if (object.spec) setClaimSpecDefaults(object.spec);
  },
  strategy: {
    ...statusResetStrategy,
    prepareForCreate(object) {
      object.status = { phase: "Pending" };
      normalizeDataSources(object.spec ?? {}, undefined);
      persistentStorage.addFinalizer(object, "kubernetes.io/pvc-protection");
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      normalizeDataSources(object.spec ?? {}, old.spec ?? {});
    },
    ...validateWholeObject({
      namespaced: true,
      validate: ({ spec }, old) => validateClaimSpec(spec ?? {}, "spec", old && leniency(old)),
      validateChange: validateClaimUpdate,
    }),
    warningsOnCreate: claimWarnings,
    warningsOnUpdate: claimWarnings,
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: validateClaimStatus,
    },
  },
  cells,
};

/**
 * Keeps dataSource and dataSourceRef equal. Only claims and snapshots fit into dataSource, and only
 * dataSourceRef has a namespace. Upstream: dropDisabledFields and NormalizeDataSources.
 */
function normalizeDataSources(
  spec: Decoded<PersistentVolumeClaimSpec>,
  old: Decoded<PersistentVolumeClaimSpec> | undefined,
): void {
  const wasUsed = isSet(old?.dataSource) || isSet(old?.dataSourceRef);
  if (!isSet(old?.dataSourceRef) && spec.dataSourceRef?.namespace) delete spec.dataSourceRef;
  const { dataSource, dataSourceRef } = spec;
  if (!wasUsed && !dataSourceRef && dataSource && !isClaimOrSnapshot(dataSource))
    delete spec.dataSource;
  else if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (!dataSource && dataSourceRef && !dataSourceRef.namespace)
    spec.dataSource = { ...dataSourceRef };
}

/** What the stored claim breaks already, the new one may break, too. */
const leniency = ({ spec }: Decoded<PersistentVolumeClaim>): ClaimSpecValidationOptions => ({
  allowInvalidSelectorValues: validateLabelSelector(spec?.selector ?? {}, "").length > 0,
  allowInvalidGroups: isSet(spec?.dataSource?.apiGroup) || isSet(spec?.dataSourceRef?.apiGroup),
});

type DataSource = NonNullable<Decoded<PersistentVolumeClaimSpec>["dataSource"]>;

const isClaimOrSnapshot = ({ apiGroup, kind }: DataSource): boolean =>
  (kind === "PersistentVolumeClaim" && !apiGroup) ||
  (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io");

/** Specs are immutable except for size and attributes class of bound claims. */
function validateClaimUpdate(
  object: Decoded<PersistentVolumeClaim>,
  old: Decoded<PersistentVolumeClaim>,
): FieldError[] {
  const [spec, before] = [object.spec ?? {}, old.spec ?? {}];
  const [frozen, changed] = comparable(object, old);
  return [
    ...annotationErrors(object, old),
    ...errorIf(!equalJson(changed, frozen), () =>
      fieldError.forbiddenChange(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
        {
          type: "core.PersistentVolumeClaimSpec",
          before: frozen,
          after: changed,
          diff: diffPrinted,
        },
      ),
    ),
    ...sizeErrors(sizeOf(spec), sizeOf(before), old.status?.capacity?.storage),
    ...immutable("volumeMode", spec.volumeMode, before.volumeMode),
    ...attributesErrors(spec, old),
  ];
}

const sizeOf = ({ resources }: Decoded<PersistentVolumeClaimSpec>): string =>
  resources?.requests?.storage ?? "0";

/** The old and the new spec, equal in the fields that may change. */
function comparable(
  object: Decoded<PersistentVolumeClaim>,
  old: Decoded<PersistentVolumeClaim>,
): readonly [
  frozen: Decoded<PersistentVolumeClaimSpec>,
  changed: Decoded<PersistentVolumeClaimSpec>,
] {
  const frozen = { ...old.spec };
  const changed = { ...object.spec };
  if (!frozen.volumeName) keepOld(frozen, changed, "volumeName");
  if (movesClass(object, old)) delete changed.storageClassName;
  else if (
    !isSet(frozen.storageClassName) &&
    [undefined, changed.storageClassName].includes(classAnnotationOf(old))
  )
    keepOld(changed, frozen, "storageClassName");
  if (object.status?.phase !== "Bound") return [frozen, changed];
  keepOld(changed, frozen, "volumeAttributesClassName");
  const resources = changed.resources ?? {};
  if (isSet(resources.requests))
    changed.resources = {
      ...resources,
      requests: { ...resources.requests, storage: sizeOf(frozen) },
    };
  return [frozen, changed];
}

const classAnnotationOf = ({ metadata }: Decoded<PersistentVolumeClaim>): string | undefined =>
  metadata?.annotations?.[persistentStorage.classAnnotation] ?? undefined;

/** Whether the update states in the spec the class that only the annotation has stated. */
function movesClass(
  object: Decoded<PersistentVolumeClaim>,
  old: Decoded<PersistentVolumeClaim>,
): boolean {
  const before = classAnnotationOf(old);
  return (
    before !== undefined &&
    !isSet(old.spec?.storageClassName) &&
    object.spec?.storageClassName === before &&
    (classAnnotationOf(object) ?? before) === before
  );
}

function annotationErrors(
  object: Decoded<PersistentVolumeClaim>,
  old: Decoded<PersistentVolumeClaim>,
): FieldError[] {
  const now = classAnnotationOf(object) ?? "";
  const before = classAnnotationOf(old) ?? "";
  return errorIf(now !== before && !movesClass(object, old), () =>
    fieldError.invalid(
      `metadata.annotations[${persistentStorage.classAnnotation}]`,
      now,
      "field is immutable",
    ),
  );
}

/** A claim can shrink to recover from a failed expansion, but must stay above its capacity. */
function sizeErrors(size: string, before: string, capacity: string | undefined): FieldError[] {
  if (nanoOf(size) >= nanoOf(before) || nanoOf(size) > nanoOf(capacity)) return [];
  return [
    fieldError.forbidden(
      "spec.resources.requests.storage",
      "field can not be less than status.capacity",
    ),
  ];
}

function attributesErrors(
  { volumeAttributesClassName: now }: Decoded<PersistentVolumeClaimSpec>,
  { spec, status }: Decoded<PersistentVolumeClaim>,
): FieldError[] {
  const isSame = (now ?? null) === (spec?.volumeAttributesClassName ?? null);
  if (isSame || !isSet(status?.currentVolumeAttributesClassName) || now) return [];
  return [
    fieldError.forbidden(
      "spec.volumeAttributesClassName",
      `update to ${isSet(now) ? "empty string" : "nil"} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ];
}

function claimWarnings(object: Decoded<PersistentVolumeClaim>): string[] {
  return [
    ...persistentStorage.classAnnotationWarnings(object),
    ...claimSpecWarnings(object.spec ?? {}, "spec"),
  ];
}

function cells(object: Decoded<PersistentVolumeClaim>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  const volume = spec.volumeName ?? "";
  return [
    nameOf(object),
    isSet(object.metadata?.deletionTimestamp) ? "Terminating" : (status.phase ?? ""),
    volume,
    volume ? (status.capacity?.storage ?? "0") : "",
    volume ? persistentStorage.formatAccessModes(status.accessModes) : "",
    persistentStorage.classOf(object),
    spec.volumeAttributesClassName ?? "<unset>",
    ageOf(object, ages),
    spec.volumeMode ?? "<unset>",
  ];
}
