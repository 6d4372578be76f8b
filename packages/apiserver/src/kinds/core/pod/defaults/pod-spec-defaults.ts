// Defaults of a PodSpec, wherever one stands: in a pod, in a template.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_PodSpec),
// zz_generated.defaults.go, conversion.go (what a round trip through the internal types does to
// serviceAccount and old annotations).
import type { JsonObject } from "homeostat/api";
import {
  setIfNil,
  setIfEmpty,
  mutableAt,
  itemsAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { setContainerDefaults } from "./container-defaults.ts";
import { roundList, roundResources } from "../../resources/resource-lists.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

const defaultGraceSeconds = 30;

/** Sets the defaults of a decoded PodSpec, in place. */
export function setPodSpecDefaults(spec: JsonObject): void {
  setIfEmpty(spec, "dnsPolicy", "ClusterFirst");
  setIfEmpty(spec, "restartPolicy", "Always");
  setIfNil(spec, "securityContext", {});
  setIfNil(spec, "terminationGracePeriodSeconds", defaultGraceSeconds);
  setIfEmpty(spec, "schedulerName", "default-scheduler");
  mirrorServiceAccount(spec);
  for (const volume of itemsAt(spec, "volumes")) setVolumeDefaults(volume);
  for (const list of ["initContainers", "containers", "ephemeralContainers"])
    for (const container of itemsAt(spec, list)) setContainerDefaults(container);
  roundList(mutableAt(spec, "overhead"));
  roundResources(objectAt(spec, "resources"));
}

/** The old name of the field always shows what the new one has. */
export function mirrorServiceAccount(spec: JsonObject): void {
  const name = stringAt(spec, "serviceAccountName") || stringAt(spec, "serviceAccount");
  if (!name) return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}

const initContainerAnnotations = [
  "pod.beta.kubernetes.io/init-containers",
  "pod.alpha.kubernetes.io/init-containers",
  "pod.beta.kubernetes.io/init-container-statuses",
  "pod.alpha.kubernetes.io/init-container-statuses",
];

/** Init containers were annotations once; those never come back. */
export function dropInitContainerAnnotations(metadata: JsonObject): void {
  const annotations = mutableAt(metadata, "annotations");
  if (!annotations || !initContainerAnnotations.some((name) => Object.hasOwn(annotations, name)))
    return;
  metadata["annotations"] = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !initContainerAnnotations.includes(name)),
  );
}
