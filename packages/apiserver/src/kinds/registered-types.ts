// Which kinds upstream's schemes know, served or not: a body of a known kind is refused because it
// cannot be converted, a body of another one because it is not registered. Built-in kinds,
// definitions, API services and DeleteOptions each have a scheme of their own.
// Upstream: register.go of each package of k8s.io/api v0.36, as
// k8s.io/kubernetes/pkg/api/legacyscheme has them;
// k8s.io/apimachinery/pkg/apis/meta/{v1,internalversion}/register.go.
import { formatApiVersion, type GroupVersionKind } from "homeostat/api";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";

const roles = "ClusterRole ClusterRoleBinding Role RoleBinding";
const policies =
  "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding";
const flows = "FlowSchema PriorityLevelConfiguration";
const devices = "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice";
const reviews =
  "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview";

/** Kinds of versions that are registered and not served, by apiVersion; lists are left out. */
const unserved: Readonly<Record<string, string>> = {
  "admission.k8s.io/v1beta1": "AdmissionReview",
  "admissionregistration.k8s.io/v1alpha1": policies,
  "admissionregistration.k8s.io/v1beta1": `${policies} MutatingWebhookConfiguration ValidatingWebhookConfiguration`,
  "apps/v1beta1": "ControllerRevision Deployment DeploymentRollback Scale StatefulSet",
  "apps/v1beta2": "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
  "authentication.k8s.io/v1alpha1": "SelfSubjectReview",
  "authentication.k8s.io/v1beta1": "SelfSubjectReview TokenReview",
  "authorization.k8s.io/v1beta1": reviews,
  "batch/v1beta1": "CronJob",
  "certificates.k8s.io/v1alpha1": "ClusterTrustBundle",
  "certificates.k8s.io/v1beta1":
    "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
  "coordination.k8s.io/v1alpha2": "LeaseCandidate",
  "coordination.k8s.io/v1beta1": "Lease LeaseCandidate",
  "discovery.k8s.io/v1beta1": "EndpointSlice",
  "events.k8s.io/v1beta1": "Event",
  "extensions/v1beta1":
    "DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy ReplicaSet Scale",
  "flowcontrol.apiserver.k8s.io/v1beta1": flows,
  "flowcontrol.apiserver.k8s.io/v1beta2": flows,
  "flowcontrol.apiserver.k8s.io/v1beta3": flows,
  "imagepolicy.k8s.io/v1alpha1": "ImageReview",
  "internal.apiserver.k8s.io/v1alpha1": "StorageVersion",
  "networking.k8s.io/v1beta1": "IPAddress Ingress IngressClass ServiceCIDR",
  "node.k8s.io/v1alpha1": "RuntimeClass",
  "node.k8s.io/v1beta1": "RuntimeClass",
  "policy/v1beta1": "Eviction PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1alpha1": roles,
  "rbac.authorization.k8s.io/v1beta1": roles,
  "resource.k8s.io/v1alpha3": "DeviceTaintRule ResourcePoolStatusRequest",
  "resource.k8s.io/v1beta1": devices,
  "resource.k8s.io/v1beta2": `${devices} DeviceTaintRule`,
  "scheduling.k8s.io/v1alpha2": "PodGroup Workload",
  "scheduling.k8s.io/v1beta1": "PriorityClass",
  "storage.k8s.io/v1alpha1": "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
  "storage.k8s.io/v1beta1":
    "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
};
const withoutList = /Review$|^(?:DeploymentRollback|Eviction|Scale)$/;

/** Kinds of every group and version of a scheme. */
const unversioned = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];
/** Kinds of every version that a scheme has. */
const options = /^(?:(?:Create|Delete|Get|List|Patch|Update)Options|WatchEvent)$/;
/** What the scheme of DeleteOptions has: in any version, and in the group `meta.k8s.io`. */
const anyOptions = /^(?:Create|Delete|Update)Options$/;
const metaKinds = /^(?:PartialObjectMetadata(?:List)?|Table|TableOptions)$/;

/** The groups to which the kinds of `extensions` have moved. */
const movedTo: Readonly<Record<string, string>> = {
  DaemonSet: "apps",
  Deployment: "apps",
  ReplicaSet: "apps",
  Ingress: "networking.k8s.io",
  NetworkPolicy: "networking.k8s.io",
};

const isUnserved = (apiVersion: string, kind: string): boolean => {
  if (!Object.hasOwn(unserved, apiVersion)) return false;
  const kinds = unserved[apiVersion]!.split(" ");
  const item = kind.endsWith("List") ? kind.slice(0, -"List".length) : kind;
  return kinds.includes(item) && (item === kind || !withoutList.test(item));
};

/** The group that serves the kind of an unserved version; undefined for other versions. */
export function groupOfRetired(kind: GroupVersionKind): string | undefined {
  if (!isUnserved(formatApiVersion(kind), kind.kind)) return undefined;
  return kind.group === "extensions" ? movedTo[kind.kind] : kind.group;
}

/** Groups with a scheme of their own. */
const ownSchemes = ["apiextensions.k8s.io", "apiregistration.k8s.io"];
const optionsGroup = "meta.k8s.io";

/** See KindRegistry. */
export function goTypeOf(
  data: KindData,
  { group, version, kind }: GroupVersionKind,
  endpointGroup: string,
): string | undefined {
  if (unversioned.includes(kind)) return `v1.${kind}`;
  if (endpointGroup === optionsGroup) {
    const isKnown = anyOptions.test(kind) || (group === optionsGroup && metaKinds.test(kind));
    return isKnown ? `v1.${kind}` : undefined;
  }
  const scheme = ownSchemes.includes(endpointGroup) ? endpointGroup : undefined;
  const isMachinery = group === "" && version === "v1";
  if (scheme !== undefined && group !== scheme)
    return isMachinery && options.test(kind) ? `v1.${kind}` : undefined;
  if (scheme === undefined && [...ownSchemes, optionsGroup].includes(group)) return undefined;
  const apiVersion = formatApiVersion({ group, version });
  if (data.typeOf(group, version, kind) || isUnserved(apiVersion, kind))
    return options.test(kind) ? `v1.${kind}` : `${version}.${kind}`;
  return Object.hasOwn(unserved, apiVersion) && options.test(kind) ? `v1.${kind}` : undefined;
}
