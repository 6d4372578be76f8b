// The admission plug-ins of kube-apiserver 1.36, in the order in which they run; `isOn` says which
// run by default.
// Upstream: k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go,
// k8s.io/apiserver/pkg/server/options/admission.go.
import type { OptionFault } from "../apimachinery/errors/server-error.ts";
import { loadLate } from "../apimachinery/load-late.ts";
import type { AdmissionPlugin, CreatePlugin, PluginServices } from "./admission-plugin.ts";
import type { PluginConfiguration } from "./configuration/plugin-configuration.ts";
import { createGatedOff } from "./gated-off.ts";
import { createNodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import {
  createCertificateApproval,
  createCertificateSigning,
  createCertificateSubjectRestriction,
} from "./certificates.ts";
import { createDefaultIngressClass } from "./default-ingress-class.ts";
import { createDefaultStorageClass } from "./default-storage-class.ts";
import { createDefaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { createDenyServiceExternalIps } from "./deny-service-external-ips.ts";
import { createLimitRanger } from "./limit-ranger.ts";
import { createNamespaceLifecycle } from "./namespace-lifecycle.ts";
import { createPersistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { createPodResizeValidator } from "./pod-resize-validator.ts";
import { createPodSecurity } from "./pod-security.ts";
import { createPodTopologyLabels } from "./pod-topology-labels.ts";
import {
  createMutatingAdmissionPolicy,
  createValidatingAdmissionPolicy,
} from "./policy/policy-plugins.ts";
import { createPriority } from "./priority.ts";
import { createResourceQuota } from "./resource-quota.ts";
import { createRuntimeClass } from "./runtime-class.ts";
import { createServiceAccount } from "./service-account.ts";
import { createStorageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { createTaintNodesByCondition } from "./taint-nodes-by-condition.ts";
import {
  createMutatingAdmissionWebhook,
  createValidatingAdmissionWebhook,
} from "./webhook/admission-webhooks.ts";

interface KnownPlugin {
  readonly name: string;
  readonly isOn: boolean;
  readonly create: CreatePlugin;
}

const on = (name: string, create: CreatePlugin): KnownPlugin => ({ name, isOn: true, create });
const off = (name: string, create: CreatePlugin): KnownPlugin => ({ name, isOn: false, create });

/** Loaded when it is enabled. */
const offLate = (name: string): KnownPlugin =>
  off(name, (services, given) => {
    const { offByDefault } = loadLate(
      import.meta.url,
      "./off-by-default",
    ) as typeof import("./off-by-default.ts");
    return offByDefault[name]!(services, given);
  });

/** In the order in which they run. */
const plugins: readonly KnownPlugin[] = [
  offLate("AlwaysAdmit"),
  offLate("NamespaceAutoProvision"),
  on("NamespaceLifecycle", createNamespaceLifecycle),
  offLate("NamespaceExists"),
  offLate("LimitPodHardAntiAffinityTopology"),
  on("LimitRanger", createLimitRanger),
  on("ServiceAccount", createServiceAccount),
  offLate("NodeRestriction"),
  on("TaintNodesByCondition", createTaintNodesByCondition),
  offLate("AlwaysPullImages"),
  offLate("ImagePolicyWebhook"),
  on("PodSecurity", createPodSecurity),
  offLate("PodNodeSelector"),
  on("Priority", createPriority),
  on("DefaultTolerationSeconds", createDefaultTolerationSeconds),
  offLate("PodTolerationRestriction"),
  offLate("EventRateLimit"),
  offLate("ExtendedResourceToleration"),
  on("DefaultStorageClass", createDefaultStorageClass),
  on("StorageObjectInUseProtection", createStorageObjectInUseProtection),
  on("PodGroupProtection", createGatedOff),
  offLate("OwnerReferencesPermissionEnforcement"),
  on("PersistentVolumeClaimResize", createPersistentVolumeClaimResize),
  on("RuntimeClass", createRuntimeClass),
  on("CertificateApproval", createCertificateApproval),
  on("CertificateSigning", createCertificateSigning),
  on("ClusterTrustBundleAttest", createGatedOff),
  on("CertificateSubjectRestriction", createCertificateSubjectRestriction),
  on("DefaultIngressClass", createDefaultIngressClass),
  off("DenyServiceExternalIPs", createDenyServiceExternalIps),
  on("PodTopologyLabels", createPodTopologyLabels),
  on("PodGroupWorkloadExists", createGatedOff),
  on("NodeDeclaredFeatureValidator", createNodeDeclaredFeatureValidator),
  on("JobValidation", createGatedOff),
  on("PodResizeValidator", createPodResizeValidator),
  on("MutatingAdmissionPolicy", createMutatingAdmissionPolicy),
  on("MutatingAdmissionWebhook", createMutatingAdmissionWebhook),
  on("ValidatingAdmissionPolicy", createValidatingAdmissionPolicy),
  on("ValidatingAdmissionWebhook", createValidatingAdmissionWebhook),
  on("ResourceQuota", createResourceQuota),
  offLate("AlwaysDeny"),
];

/** Names of plug-ins, as kube-apiserver's flags take them. */
export interface PluginChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** Configurations of plug-ins by name. */
  readonly configurations?: Readonly<Record<string, PluginConfiguration>>;
}

/** The plug-ins that run, in order: those on by default and not disabled, and those enabled. */
export function createPlugins(
  { enable = [], disable = [], configurations = {} }: PluginChoice,
  services: PluginServices,
): readonly AdmissionPlugin[] {
  return chosenPlugins({ enable, disable }).map(({ name, create }) =>
    create(services, configurations[name]),
  );
}

const chosenPlugins = ({ enable = [], disable = [] }: PluginChoice): readonly KnownPlugin[] =>
  plugins.filter(({ name, isOn }) => enable.includes(name) || (isOn && !disable.includes(name)));

/** The faults of a choice: unknown names, and names that are both enabled and disabled. */
export function choiceFaults({ enable = [], disable = [] }: PluginChoice): readonly OptionFault[] {
  const known = plugins.map(({ name }) => name);
  const unknown = (option: string, names: readonly string[]): readonly OptionFault[] => {
    const got = names.filter((name) => !known.includes(name)).map((name) => JSON.stringify(name));
    const expected = `expected admission plug-ins of kube-apiserver: any of ${known.join(", ")}`;
    return got.length ? [{ option, problem: `${expected}; got ${got.join(", ")}` }] : [];
  };
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted();
  const problem = `expected each plug-in to be either enabled or disabled, got both for ${both.join(", ")}`;
  return [
    ...unknown("admissionPlugins.enable", enable),
    ...unknown("admissionPlugins.disable", disable),
    ...(both.length ? [{ option: "admissionPlugins.enable", problem }] : []),
  ];
}

/** Plug-ins that do not run without a configuration. */
const needConfiguration: readonly string[] = ["EventRateLimit", "ImagePolicyWebhook"];

/** The faults of the configurations of those plug-ins that run. */
export function configurationFaults(choice: PluginChoice): readonly OptionFault[] {
  const { configurations = {} } = choice;
  const parsed = chosenPlugins(choice).filter(
    ({ name }) => Object.hasOwn(configurations, name) || needConfiguration.includes(name),
  );
  if (!parsed.length) return [];
  const { configurationFault } = loadLate(
    import.meta.url,
    "./configuration/configuration-fault",
  ) as typeof import("./configuration/configuration-fault.ts");
  return parsed.flatMap(({ name }) => {
    const problem = configurationFault(name, configurations[name]);
    return problem === undefined ? [] : [{ option: "admissionControlConfigFile", problem }];
  });
}
