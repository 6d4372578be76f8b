// Volume attachments: the intent to attach a volume to a node.
// Upstream: k8s.io/kubernetes/pkg/registry/storage/volumeattachment/strategy.go,
// pkg/apis/storage/validation/validation.go.
import { type Decoded, dnsSubdomainFaults } from "homeostat/api";
import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeError,
} from "homeostat/k8s/storage/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { statusOnlyStrategy, statusResetStrategy } from "../definition/default-strategy.ts";
import { immutableSpec, validateWholeObject } from "../validation/validate-object.ts";
import { setPersistentSourceDefaults } from "../core/pod/defaults/volume-defaults.ts";
import { validateInlineVolumeSpec } from "../core/persistent-volume/validate-volume.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";

const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;

const validation = validateWholeObject<Decoded<VolumeAttachment>>({
  namespaced: false,
  metadataChanges: "common",
  validate,
  validateChange: (object, old) => immutableSpec("storage.VolumeAttachmentSpec", object, old),
});

export const volumeAttachment: KindDefinition<Decoded<VolumeAttachment>> = {
  ...gvk("storage.k8s.io/v1", "VolumeAttachment"),
  returnsDeletedObject: true,
  defaults(object) {
    const inline = object.spec?.source?.inlineVolumeSpec;
    if (inline) setPersistentSourceDefaults(inline);
  },
  strategy: {
    allowUnconditionalUpdate: false,
    ...statusResetStrategy,
    prepareForCreate: (object) => void (object.status = { attached: false }),
    ...validation,
  },
  subresources: {
    status: {
      ...statusOnlyStrategy,
      validateUpdate: validation.validateUpdate,
    },
  },
  cells: (object, ages) => {
    const spec = object.spec ?? {};
    return [
      nameOf(object),
      spec.attacher ?? "",
      spec.source?.persistentVolumeName ?? "",
      spec.nodeName ?? "",
      object.status?.attached === true,
      ageOf(object, ages),
    ];
  },
};

function validate(object: Decoded<VolumeAttachment>): FieldError[] {
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  const node = spec.nodeName ?? "";
  const volume = spec.source?.persistentVolumeName;
  const bytes = Object.entries(status.attachmentMetadata ?? {}).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...csiNameErrors(spec.attacher ?? "", "spec.attacher"),
    ...sourceErrors(spec.source ?? {}, "spec.source"),
    ...dnsSubdomainFaults(node).map((fault) => fieldError.invalid("spec.nodeName", node, fault)),
    ...errorIf(bytes > maxMetadataBytes, () =>
      fieldError.tooLong("status.attachmentMetadata", maxMetadataBytes),
    ),
    ...(["attachError", "detachError"] as const).flatMap((field) =>
      volumeErrorErrors(status[field] ?? {}, `status.${field}`),
    ),
    ...(typeof volume === "string"
      ? dnsSubdomainFaults(volume).map((fault) =>
          fieldError.invalid("spec.source.persistentVolumeName", volume, fault),
        )
      : []),
  ];
}

function sourceErrors(source: Decoded<VolumeAttachmentSource>, path: string): FieldError[] {
  const volume = source.persistentVolumeName;
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const inline = source.inlineVolumeSpec;
  if (typeof volume !== "string")
    return inline
      ? validateInlineVolumeSpec(inline, `${path}.inlineVolumeSpec`)
      : [fieldError.required(path, one)];
  if (inline) return [fieldError.forbidden(path, one)];
  return errorIf(!volume, () =>
    fieldError.required(
      `${path}.persistentVolumeName`,
      "must specify non empty persistentVolumeName",
    ),
  );
}

function volumeErrorErrors(error: Decoded<VolumeError>, path: string): FieldError[] {
  const code = error.errorCode ?? 0;
  return [
    ...errorIf(Buffer.byteLength(error.message ?? "") > maxMessageBytes, () =>
      fieldError.tooLong(`${path}.message`, maxMetadataBytes),
    ),
    ...errorIf(code < 0, () =>
      fieldError.invalid(`${path}.errorCode`, code, "must be between 0 and 2147483647, inclusive"),
    ),
  ];
}
