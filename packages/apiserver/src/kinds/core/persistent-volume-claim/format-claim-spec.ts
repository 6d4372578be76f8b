// The spec of a PersistentVolumeClaim as upstream's error messages list its differences.
// Upstream: k8s.io/kubernetes/pkg/apis/core/types.go (PersistentVolumeClaimSpec: internal structs,
// without JSON names).
import type { Decoded, Json } from "homeostat/api";
import type { PersistentVolumeClaimSpec } from "homeostat/k8s/core/v1";
import {
  formatStruct,
  goPointer,
  goStructPointer,
  goText,
  type StructField,
} from "../../printers/format-struct.ts";
import { diffJson } from "../../printers/unified-diff.ts";

const local: readonly StructField[] = [
  ["APIGroup", "apiGroup", goPointer],
  ["Kind", "kind", goText],
  ["Name", "name", goText],
];
const requirements: readonly StructField[] = [
  ["Limits", "limits", goPointer],
  ["Requests", "requests", goPointer],
];
const fields: readonly StructField[] = [
  ["AccessModes", "accessModes", goPointer],
  ["Selector", "selector", goPointer],
  ["Resources", "resources", (value) => formatStruct(value, requirements)],
  ["VolumeName", "volumeName", goText],
  ["StorageClassName", "storageClassName", goPointer],
  ["VolumeMode", "volumeMode", goPointer],
  ["DataSource", "dataSource", goStructPointer(local)],
  [
    "DataSourceRef",
    "dataSourceRef",
    goStructPointer([...local, ["Namespace", "namespace", goPointer]]),
  ],
  ["VolumeAttributesClassName", "volumeAttributesClassName", goPointer],
];

/** The differences between two specs, with some lines of context. */
export function diffClaimSpecs(
  before: Decoded<PersistentVolumeClaimSpec>,
  after: Decoded<PersistentVolumeClaimSpec>,
): string {
  const printed = (spec: Decoded<PersistentVolumeClaimSpec>): Json =>
    JSON.parse(formatStruct(spec, fields)) as Json;
  return diffJson(printed(before), printed(after));
}
