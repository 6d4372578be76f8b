// Parts that volumes and claims share: abbreviated access modes, storage classes by annotation or
// field, protection by a finalizer.
// Upstream: k8s.io/kubernetes/pkg/apis/core/helper/helpers.go.
import type { Decoded } from "homeostat/api";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
} from "homeostat/k8s/core/v1";
import { type DecodedObject, metadataOf } from "../../../apimachinery/meta/read-meta.ts";

/** The annotation that preceded `storageClassName`. */
export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

const abbreviations = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** Whether an object names its storage class by the annotation. */
const hasClassAnnotation = ({ metadata }: DecodedObject): boolean =>
  metadata?.annotations?.[classAnnotation] !== undefined;

/** The deprecation of the annotation, for an object that has it. */
export const classAnnotationWarnings = (object: DecodedObject): string[] =>
  hasClassAnnotation(object)
    ? [
        `metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ]
    : [];

/** Access modes as tables show them, e.g. `RWO,ROX`. */
export function formatAccessModes(modes: Decoded<PersistentVolumeSpec>["accessModes"]): string {
  return abbreviations
    .filter(([mode]) => modes?.includes(mode))
    .map(([, text]) => text)
    .join(",");
}

/** The storage class of a volume or a claim. */
export const classOf = ({
  metadata,
  spec,
}: Decoded<PersistentVolume> | Decoded<PersistentVolumeClaim>): string =>
  metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

/** Adds a finalizer unless the object has it. */
export function addFinalizer(object: DecodedObject, name: string): void {
  const metadata = metadataOf(object);
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(name)) metadata.finalizers = [...finalizers, name];
}
