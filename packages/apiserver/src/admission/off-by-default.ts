// The plug-ins that are off by default, by name; loaded when one is enabled.
import type { CreatePlugin } from "./admission-plugin.ts";
import { createAlwaysAdmit, createAlwaysDeny } from "./always.ts";
import { createAlwaysPullImages } from "./always-pull-images.ts";
import { createEventRateLimit } from "./event-rate-limit.ts";
import { createExtendedResourceToleration } from "./extended-resource-toleration.ts";
import { createImagePolicyWebhook } from "./image-policy-webhook.ts";
import { createLimitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";
import { createNamespaceAutoProvision, createNamespaceExists } from "./namespace-exists.ts";
import { createNodeRestriction } from "./node-restriction.ts";
import { createOwnerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { createPodNodeSelector } from "./pod-node-selector.ts";
import { createPodTolerationRestriction } from "./pod-toleration-restriction.ts";

export const offByDefault: Readonly<Record<string, CreatePlugin>> = {
  AlwaysAdmit: createAlwaysAdmit,
  NamespaceAutoProvision: createNamespaceAutoProvision,
  NamespaceExists: createNamespaceExists,
  LimitPodHardAntiAffinityTopology: createLimitPodHardAntiAffinityTopology,
  NodeRestriction: createNodeRestriction,
  AlwaysPullImages: createAlwaysPullImages,
  ImagePolicyWebhook: createImagePolicyWebhook,
  PodNodeSelector: createPodNodeSelector,
  PodTolerationRestriction: createPodTolerationRestriction,
  EventRateLimit: createEventRateLimit,
  ExtendedResourceToleration: createExtendedResourceToleration,
  OwnerReferencesPermissionEnforcement: createOwnerReferencesPermissionEnforcement,
  AlwaysDeny: createAlwaysDeny,
};
