// Fields of a PodSpec whose feature gates are off in 1.36: they are dropped before validation, as
// if never sent.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (dropDisabledFields).
import type { JsonObject } from "homeostat/api";
import { itemsAt, mutableAt, objectAt } from "../../../apimachinery/meta/read-fields.ts";

/**
 * Drops them in place: stop signals, cluster trust bundles, pod certificates, scheduling groups.
 */
export function dropDisabledFields(spec: JsonObject): void {
  delete spec["schedulingGroup"];
  for (const volume of itemsAt(spec, "volumes")) {
    for (const source of itemsAt(objectAt(volume, "projected"), "sources")) {
      delete source["clusterTrustBundle"];
      delete source["podCertificate"];
    }
  }
  for (const list of ["initContainers", "containers", "ephemeralContainers"])
    for (const container of itemsAt(spec, list)) dropStopSignal(container);
}

function dropStopSignal(container: JsonObject): void {
  const lifecycle = mutableAt(container, "lifecycle");
  if (!lifecycle || !Object.hasOwn(lifecycle, "stopSignal")) return;
  delete lifecycle["stopSignal"];
  if (!Object.keys(lifecycle).length) delete container["lifecycle"];
}
