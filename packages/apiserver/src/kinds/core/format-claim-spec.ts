// The spec of a PersistentVolumeClaim as upstream's error messages list its differences.
// Upstream: k8s.io/kubernetes/pkg/apis/core/types.go (PersistentVolumeClaimSpec: internal structs,
// without JSON names).
import type { Json, JsonObject } from "homeostat/api";
import {
  formatStruct,
  goPointer,
  goStructPointer,
  goText,
  type StructField,
} from "../printers/format-struct.ts";
import { diffJson } from "../printers/unified-diff.ts";

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

/** What differs between two specs, with some lines around it. */
export function diffClaimSpecs(before: JsonObject, after: JsonObject): string {
  const lay = (spec: JsonObject): Json => JSON.parse(formatStruct(spec, fields)) as Json;
  return diffJson(lay(before), lay(after));
}
