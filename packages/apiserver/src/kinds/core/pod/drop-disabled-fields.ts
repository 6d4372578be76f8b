// Drops the fields of a PodSpec whose feature gates are off in 1.36, before validation.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (dropDisabledFields).
import type { Decoded } from "homeostat/api";
import type { Container, PodSpec } from "homeostat/k8s/core/v1";

/**
 * Drops them in place: stop signals, cluster trust bundles, pod certificates, scheduling groups.
 */
export function dropDisabledFields(spec: Decoded<PodSpec>): void {
  delete spec.schedulingGroup;
  for (const volume of spec.volumes ?? []) {
    for (const source of volume.projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const)
    for (const container of spec[list] ?? []) dropStopSignal(container);
}

function dropStopSignal(container: Decoded<Container>): void {
  const { lifecycle } = container;
  if (!lifecycle || !Object.hasOwn(lifecycle, "stopSignal")) return;
  delete lifecycle.stopSignal;
  if (!Object.keys(lifecycle).length) delete container.lifecycle;
}
