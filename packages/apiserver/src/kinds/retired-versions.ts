// Versions of built-in kinds that are registered but no longer served. A body of one is refused for
// its version; a body of an unknown version is refused for its kind.
// Upstream: register.go of each package of k8s.io/api v0.36, as
// k8s.io/kubernetes/pkg/api/legacyscheme has them.
import { formatApiVersion, type GroupVersionKind } from "homeostat/api";

const sets = "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet";
const roles = "ClusterRole ClusterRoleBinding Role RoleBinding";
const policies =
  "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding";
const flows = "FlowSchema PriorityLevelConfiguration";

/** Kinds by apiVersion. */
const retired: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1alpha1": policies,
  "admissionregistration.k8s.io/v1beta1": `${policies} MutatingWebhookConfiguration ValidatingWebhookConfiguration`,
  "apps/v1beta1": "ControllerRevision Deployment StatefulSet",
  "apps/v1beta2": sets,
  "authentication.k8s.io/v1alpha1": "SelfSubjectReview",
  "authentication.k8s.io/v1beta1": "SelfSubjectReview TokenReview",
  "authorization.k8s.io/v1beta1":
    "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "batch/v1beta1": "CronJob",
  "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
  "coordination.k8s.io/v1beta1": "Lease",
  "discovery.k8s.io/v1beta1": "EndpointSlice",
  "events.k8s.io/v1beta1": "Event",
  "extensions/v1beta1": "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet",
  "flowcontrol.apiserver.k8s.io/v1beta1": flows,
  "flowcontrol.apiserver.k8s.io/v1beta2": flows,
  "flowcontrol.apiserver.k8s.io/v1beta3": flows,
  "networking.k8s.io/v1beta1": "IPAddress Ingress IngressClass ServiceCIDR",
  "node.k8s.io/v1alpha1": "RuntimeClass",
  "node.k8s.io/v1beta1": "RuntimeClass",
  "policy/v1beta1": "Eviction PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1alpha1": roles,
  "rbac.authorization.k8s.io/v1beta1": roles,
  "scheduling.k8s.io/v1alpha1": "PriorityClass",
  "scheduling.k8s.io/v1beta1": "PriorityClass",
  "storage.k8s.io/v1alpha1": "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
  "storage.k8s.io/v1beta1":
    "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
};

/** The groups to which the kinds of `extensions` have moved. */
const movedTo: Readonly<Record<string, string>> = {
  DaemonSet: "apps",
  Deployment: "apps",
  ReplicaSet: "apps",
  Ingress: "networking.k8s.io",
  NetworkPolicy: "networking.k8s.io",
};

/** The group that now serves the kind of a retired version; undefined for other versions. */
export function groupOfRetired(kind: GroupVersionKind): string | undefined {
  const apiVersion = formatApiVersion(kind);
  if (!Object.hasOwn(retired, apiVersion) || !retired[apiVersion]!.split(" ").includes(kind.kind))
    return undefined;
  return kind.group === "extensions" ? movedTo[kind.kind] : kind.group;
}
