// The replica set to be created for the template of a Deployment. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment/sync.go (getNewReplicaSet).
import { newControllerRef } from "../../component-helpers/meta/controller-reference.ts";
import { Deployment, type ReplicaSet } from "homeostat/k8s/apps/v1";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import type { NamedObject } from "../../component-helpers/meta/write-object.ts";
import { templateHash } from "../../component-helpers/workloads/template-hash.ts";
import { hashLabel } from "./deployment-spec.ts";
import { maxRevision, newestAnnotations, sizeAnnotations } from "./revisions.ts";
import { newSetSize } from "./rollout-plan.ts";

/** The longest name of an object (`validation.DNS1123SubdomainMaxLength`). */
const maxNameLength = 253;

/** The replica set of the current template; `sets` are those of former templates. */
export function newReplicaSet(
  kindData: KindData,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): NamedObject<ReplicaSet> {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(kindData, spec.template, status.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${metadata.name.slice(0, maxNameLength - 1 - hash.length)}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: {
        ...newestAnnotations(deployment, {}, maxRevision(sets) + 1n),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [newControllerRef(deployment, Deployment)],
    },
    spec: {
      replicas: newSetSize(deployment, sets, 0),
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash },
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}
