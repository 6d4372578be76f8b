// The definitions of all built-in kinds: a new kind is one line here. Discovery orders them by the
// kind data, not by this list.
import {
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
} from "./admissionregistration/admission-policies.ts";
import {
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
} from "./admissionregistration/admission-policy-bindings.ts";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from "./admissionregistration/webhook-configurations.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { selfSubjectReview, tokenReview } from "./authentication/reviews.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from "./authorization/reviews.ts";
import { controllerRevision } from "./apps/controller-revision.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { deployment } from "./apps/deployment.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.ts";
import { lease } from "./coordination/lease.ts";
import { autoscalerV1, autoscalerV2 } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJob } from "./batch/cron-job.ts";
import { job } from "./batch/job.ts";
import { binding } from "./core/binding.ts";
import { componentStatus } from "./core/component-status.ts";
import { configMap } from "./core/config-map.ts";
import { endpoints } from "./core/endpoints.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { node } from "./core/node.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { persistentVolume } from "./core/persistent-volume.ts";
import { podTemplate } from "./core/pod-template.ts";
import { pod } from "./core/pod/pod.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { secret } from "./core/secret.ts";
import { serviceAccount } from "./core/service-account.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { coreEvent, event } from "./events/event.ts";
import { flowSchema } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { ingress } from "./networking/ingress.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { serviceCidr } from "./networking/service-cidr.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import type { AnyKindDefinition } from "./definition/kind-definition.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { clusterRoleBinding, roleBinding } from "./rbac/role-binding.ts";
import { clusterRole, role } from "./rbac/role.ts";
import { deviceClass } from "./resource/device-class.ts";
import { resourceClaim, resourceClaimTemplate } from "./resource/resource-claim.ts";
import { resourceSlice } from "./resource/resource-slice.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { csiDriver } from "./storage/csi-driver.ts";
import { csiNode, csiStorageCapacity } from "./storage/csi-node.ts";
import { storageClass, volumeAttributesClass } from "./storage/storage-class.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";
import { storageVersionMigration } from "./storagemigration/storage-version-migration.ts";

const core: readonly AnyKindDefinition[] = [
  binding,
  componentStatus,
  configMap,
  coreEvent,
  endpoints,
  limitRange,
  namespace,
  node,
  persistentVolume,
  persistentVolumeClaim,
  podTemplate,
  resourceQuota,
  secret,
  serviceAccount,
];
const networking: readonly AnyKindDefinition[] = [
  endpointSlice,
  ingress,
  ingressClass,
  networkPolicy,
  serviceCidr,
];
const rbac: readonly AnyKindDefinition[] = [clusterRole, clusterRoleBinding, role, roleBinding];
const reviews: readonly AnyKindDefinition[] = [
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenReview,
];
const devices: readonly AnyKindDefinition[] = [
  deviceClass,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
];
const storage: readonly AnyKindDefinition[] = [
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  storageVersionMigration,
  volumeAttachment,
  volumeAttributesClass,
];
const workloads: readonly AnyKindDefinition[] = [podDisruptionBudget, priorityClass, runtimeClass];
const controllers: readonly AnyKindDefinition[] = [
  pod,
  replicationController,
  autoscalerV1,
  autoscalerV2,
  cronJob,
  job,
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
];
const control: readonly AnyKindDefinition[] = [
  apiService,
  certificateSigningRequest,
  flowSchema,
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  mutatingWebhookConfiguration,
  priorityLevelConfiguration,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  validatingWebhookConfiguration,
];

/** Every definition that needs the kind data only; some others need a controller. */
export const builtinKinds: readonly AnyKindDefinition[] = [
  ...control,
  ...core,
  ...controllers,
  ...devices,
  ...networking,
  ...rbac,
  ...reviews,
  ...storage,
  ...workloads,
  event,
  lease,
];
