// Defaults of a PodSpec, of a pod or of a template.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_PodSpec),
// zz_generated.defaults.go, conversion.go (what a round trip through the internal types does to
// serviceAccount and old annotations).
import type { Decoded } from "homeostat/api";
import type { PodSpec } from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { setContainerDefaults } from "./container-defaults.ts";
import { roundList, roundResources } from "../../resources/resource-lists.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

const defaultGraceSeconds = 30;

/** Sets the defaults of a decoded PodSpec, in place. */
export function setPodSpecDefaults(spec: Decoded<PodSpec>): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= defaultGraceSeconds;
  spec.schedulerName ||= "default-scheduler";
  mirrorServiceAccount(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const)
    for (const container of spec[list] ?? []) setContainerDefaults(container);
  roundList(spec.overhead);
  roundResources(spec.resources ?? {});
}

/** Sets serviceAccount, the old name of serviceAccountName, to the same value. */
export function mirrorServiceAccount(spec: Decoded<PodSpec>): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

const initContainerAnnotations = [
  "pod.beta.kubernetes.io/init-containers",
  "pod.alpha.kubernetes.io/init-containers",
  "pod.beta.kubernetes.io/init-container-statuses",
  "pod.alpha.kubernetes.io/init-container-statuses",
];

/** Drops the annotations that once held init containers. */
export function dropInitContainerAnnotations(metadata: Decoded<ObjectMeta>): void {
  const { annotations } = metadata;
  if (!annotations || !initContainerAnnotations.some((name) => Object.hasOwn(annotations, name)))
    return;
  metadata.annotations = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !initContainerAnnotations.includes(name)),
  );
}
