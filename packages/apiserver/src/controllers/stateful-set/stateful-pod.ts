// The pod of a StatefulSet: name, labels, hostname and claims follow from its ordinal. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.
import type { NamedObject } from "../../component-helpers/meta/write-object.ts";
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import { StatefulSet } from "homeostat/k8s/apps/v1";
import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { type Pod, type PodTemplateSpec, type Volume } from "homeostat/k8s/core/v1";
import { podFromTemplate } from "../../component-helpers/workloads/pod-control.ts";
import {
  claimNameFor,
  claimTemplates,
  ordinalOf,
  podIndexLabel,
  podNameFor,
  podNameLabel,
  volumeName,
} from "./ordinals.ts";

/** The pod of an ordinal, from the template of a revision. */
export function statefulPod(
  set: StatefulSet,
  {
    ordinal,
    template,
    revision,
  }: { readonly ordinal: number; readonly template: PodTemplateSpec; readonly revision: string },
): NamedObject<Pod> {
  const { apiVersion, kind } = StatefulSet;
  const pod = podFromTemplate({ ...set, apiVersion, kind }, template);
  const name = podNameFor(set, ordinal);
  const labels = {
    ...pod.metadata.labels,
    ...identityLabels(name, ordinal),
    [revisionLabel]: revision,
  };
  const { serviceName = "" } = set.spec;
  const spec = {
    ...pod.spec,
    hostname: name,
    ...(serviceName === "" ? {} : { subdomain: serviceName }),
    volumes: withClaims(set, ordinal, pod.spec.volumes),
  };
  return { ...pod, metadata: { ...pod.metadata, name, labels }, spec };
}

/** The claims of the pod of an ordinal, one for each template. */
export function claimsFor(
  set: StatefulSet,
  ordinal: number,
): readonly NamedObject<PersistentVolumeClaim>[] {
  return claimTemplates(set).map((template) => ({
    ...template,
    spec: template.spec ?? {},
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...template.metadata,
      name: claimNameFor(set, template, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata?.labels, ...set.spec.selector.matchLabels },
    },
  }));
}

/** True when a pod has the labels of its name. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { parent, ordinal } = ordinalOf(pod);
  const { name, namespace, labels } = pod.metadata;
  return (
    ordinal >= 0 &&
    parent === set.metadata.name &&
    name === podNameFor(set, ordinal) &&
    namespace === set.metadata.namespace &&
    labels?.[podNameLabel] === name
  );
}

/** The pod with the labels of its name. */
export function withIdentity(pod: Pod): Pod {
  const { name, labels } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...labels, ...identityLabels(name, ordinalOf(pod).ordinal) },
    },
  };
}

/** True when the pod mounts each claim of the set. */
export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  const { ordinal } = ordinalOf(pod);
  const { volumes = [] } = pod.spec;
  return claimTemplates(set).every(
    (template) =>
      volumes.findLast(({ name }) => name === volumeName(template))?.persistentVolumeClaim
        ?.claimName === claimNameFor(set, template, ordinal),
  );
}

/** The pod with the claims of the set as volumes, replacing volumes of the same names. */
export function withStorage(set: StatefulSet, pod: Pod): Pod {
  return {
    ...pod,
    spec: {
      ...pod.spec,
      volumes: withClaims(set, ordinalOf(pod).ordinal, pod.spec.volumes),
    },
  };
}

const identityLabels = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [podNameLabel]: name,
  [podIndexLabel]: String(ordinal),
});

function withClaims(
  set: StatefulSet,
  ordinal: number,
  volumes: readonly Volume[] = [],
): readonly Volume[] {
  const claimed = claimTemplates(set).map((template) => ({
    name: volumeName(template),
    persistentVolumeClaim: { claimName: claimNameFor(set, template, ordinal) },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...volumes.filter(({ name }) => !names.has(name))];
}
