// Warnings on pods and templates that are valid and probably not what the user means.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go (warningsForPodSpecAndMeta),
// pkg/api/node/util.go.
import {
  compareBytewise,
  type Decoded,
  dnsLabelFaults,
  equalJson,
  labelValueFaults,
} from "homeostat/api";
import type {
  Affinity,
  Container,
  EnvVar,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  PodTemplateSpec,
  TopologySpreadConstraint,
  Volume,
} from "homeostat/k8s/core/v1";
import { eachItem, quoteGo } from "../../../../apimachinery/errors/field-error.ts";
import { nodeLabelMessage } from "../../../validation/deprecated-node-labels.ts";
import { ipWarnings } from "../../../validation/ip-addresses.ts";
import { isSet, optionalInt64 } from "../../../../apimachinery/meta/read-fields.ts";
import { claimSpecWarnings } from "../../persistent-volume-claim/claim-spec-warnings.ts";
import { visitContainers } from "../containers/visit-containers.ts";
import { portWarnings } from "./port-warnings.ts";
import { fractionalByteWarnings } from "../../resources/fractional-byte-warnings.ts";
import { appArmorAnnotation, appArmorField } from "../validation/security/validate-app-armor.ts";
import { volumeOverlapWarnings } from "./volume-overlap-warnings.ts";

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls":
    'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls":
    'non-functional in v1.11+; use the "sysctls" field instead',
};

/** In upstream's order; `shown` is the path that upstream prints. */
const deprecatedVolumes: readonly {
  readonly field: keyof Volume;
  readonly shown?: string;
  readonly since: string;
}[] = [
  { field: "photonPersistentDisk", since: "deprecated in v1.11, non-functional in v1.16+" },
  { field: "gitRepo", since: "deprecated in v1.11, and disabled by default in v1.33+" },
  { field: "scaleIO", since: "deprecated in v1.16, non-functional in v1.22+" },
  { field: "flocker", since: "deprecated in v1.22, non-functional in v1.25+" },
  {
    field: "storageos",
    shown: "storageOS",
    since: "deprecated in v1.22, non-functional in v1.25+",
  },
  { field: "quobyte", since: "deprecated in v1.22, non-functional in v1.25+" },
  { field: "glusterfs", since: "deprecated in v1.25, non-functional in v1.26+" },
  { field: "cephfs", since: "deprecated in v1.28, non-functional in v1.31+" },
  { field: "rbd", since: "deprecated in v1.28, non-functional in v1.31+" },
];

const byteResources = ["memory", "ephemeral-storage"];
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
const seccompHint = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Warnings on a new pod. Upstream: podStrategy.WarningsOnCreate. */
export function podCreateWarnings(pod: Decoded<Pod>): string[] {
  const faults = dnsLabelFaults(pod.metadata?.name ?? "");
  const nameWarning = `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`;
  return [...(faults.length ? [nameWarning] : []), ...podTemplateWarnings(pod, "")];
}

/** Warnings on the addresses in a pod's status. Upstream: podStatusStrategy.WarningsOnUpdate. */
export function podStatusWarnings({ status }: Decoded<Pod>): string[] {
  return (["podIPs", "hostIPs"] as const).flatMap((field) =>
    eachItem(status?.[field], `status.${field}`, ({ ip }, at) => ipWarnings(ip ?? "", `${at}.ip`)),
  );
}

/**
 * Warnings on the template at `path`, or on a pod, whose `path` is "". Upstream:
 * GetWarningsForPodTemplate.
 */
export function podTemplateWarnings(template: Decoded<PodTemplateSpec>, path: string): string[] {
  const spec = template.spec ?? {};
  const annotations = template.metadata?.annotations ?? {};
  const specPath = path ? `${path}.spec` : "spec";
  const annotationPath = path ? `${path}.metadata.annotations` : "metadata.annotations";
  return [
    ...nodeWarnings(spec, specPath),
    ...spreadWarnings(
      spec.topologySpreadConstraints ?? [],
      `${specPath}.topologySpreadConstraints`,
    ),
    ...Object.keys(deprecatedAnnotations)
      .filter((key) => Object.hasOwn(annotations, key))
      .map((key) => `${annotationPath}[${key}]: ${deprecatedAnnotations[key]}`),
    ...eachItem(spec.volumes, `${specPath}.volumes`, volumeWarnings),
    ...volumeOverlapWarnings(spec.volumes ?? []),
    ...repeatWarnings(spec.hostAliases ?? [], "ip", `${specPath}.hostAliases`),
    ...repeatWarnings(spec.imagePullSecrets ?? [], "name", `${specPath}.imagePullSecrets`),
    ...eachItem(spec.imagePullSecrets, `${specPath}.imagePullSecrets`, (secret, at) =>
      secret.name ? [] : [`${at}.name: invalid empty name ""`],
    ),
    ...fractionalByteWarnings(spec.overhead ?? {}, byteResources, `${specPath}.overhead`),
    ...(Object.hasOwn(annotations, seccompPod) && !isSet(spec.securityContext?.seccompProfile)
      ? [`${annotationPath}[${seccompPod}]: ${seccompHint}`]
      : []),
    ...visitContainers(spec, specPath, (container, at) => [
      ...profileWarnings(container, template, annotationPath, path ? "template" : "pod"),
      ...containerWarnings(container, at),
    ]),
    ...portWarnings(spec, specPath),
    ...((optionalInt64(spec.terminationGracePeriodSeconds) ?? 0) < 0
      ? [
          `${specPath}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec.affinity ?? {}, `${specPath}.affinity`),
    ...eachItem(spec.dnsConfig?.nameservers, `${specPath}.dnsConfig.nameservers`, ipWarnings),
    ...eachItem(spec.hostAliases, `${specPath}.hostAliases`, (alias, at) =>
      ipWarnings(alias.ip ?? "", `${at}.ip`),
    ),
  ];
}

function nodeWarnings(spec: Decoded<PodSpec>, path: string): string[] {
  const affinity = spec.affinity?.nodeAffinity ?? {};
  const requiredPath = `${path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredPath = `${path}.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...Object.keys(spec.nodeSelector ?? {})
      .sort(compareBytewise)
      .flatMap((key) =>
        nodeLabelMessage(key) ? [`${path}.nodeSelector[${key}]: ${nodeLabelMessage(key)}`] : [],
      ),
    ...eachItem(
      affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
      requiredPath,
      (term, at) => termWarnings(term, at, "keys"),
    ),
    ...eachItem(
      affinity.preferredDuringSchedulingIgnoredDuringExecution,
      preferredPath,
      (term, at) => termWarnings(term.preference ?? {}, `${at}.preference`, "keys and values"),
    ),
  ];
}

function termWarnings(
  term: Decoded<NodeSelectorTerm>,
  path: string,
  about: "keys" | "keys and values",
): string[] {
  return eachItem(term.matchExpressions, `${path}.matchExpressions`, (expression, at) => {
    const key = expression.key ?? "";
    return [
      ...(nodeLabelMessage(key) ? [`${at}.key: ${key} is ${nodeLabelMessage(key)}`] : []),
      ...(about === "keys"
        ? []
        : eachItem(expression.values, `${at}.values`, (value, at) =>
            labelValueFaults(value).map((fault) => `${at}: ${value} is invalid, ${fault}`),
          )),
    ];
  });
}

function spreadWarnings(
  constraints: readonly Decoded<TopologySpreadConstraint>[],
  path: string,
): string[] {
  return eachItem(constraints, path, (constraint, at) => {
    const key = constraint.topologyKey ?? "";
    return [
      ...(nodeLabelMessage(key) ? [`${at}.topologyKey: ${key} is ${nodeLabelMessage(key)}`] : []),
      ...(isSet(constraint.labelSelector)
        ? []
        : [`${at}.labelSelector: a null labelSelector results in matching no pod`]),
    ];
  });
}

/**
 * Upstream warns of the claim of an ephemeral volume between sources of which a volume has one at
 * most.
 */
function volumeWarnings(volume: Decoded<Volume>, path: string): string[] {
  const template = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...deprecatedVolumes
      .filter(({ field }) => isSet(volume[field]))
      .map(({ field, shown = field, since }) => `${path}.${shown}: ${since}`),
    ...(template
      ? claimSpecWarnings(template.spec ?? {}, `${path}.ephemeral.volumeClaimTemplate.spec`)
      : []),
  ];
}

function repeatWarnings<F extends "ip" | "name">(
  items: readonly { readonly [P in F]?: string | null }[],
  field: F,
  path: string,
): string[] {
  const seen = new Set<string>();
  return eachItem(items, path, (item, at) => {
    const value = item[field] ?? "";
    const repeated = seen.has(value);
    seen.add(value);
    return repeated ? [`${at}.${field}: duplicate ${field} ${quoteGo(value)}`] : [];
  });
}

/**
 * Warnings on annotations that fields have replaced. For AppArmor, templates only: preparing a pod
 * warns of its annotations.
 */
function profileWarnings(
  container: Decoded<Container>,
  { spec, metadata }: Decoded<PodTemplateSpec>,
  path: string,
  of: "pod" | "template",
): string[] {
  const annotations = metadata?.annotations ?? {};
  const name = container.name ?? "";
  const context = container.securityContext ?? {};
  const seccomp = `${seccompContainer}${name}`;
  const appArmor = `${appArmorAnnotation}${name}`;
  const annotation = annotations[appArmor];
  const ofPod = spec?.securityContext?.appArmorProfile;
  const differs =
    of === "template" &&
    annotation !== undefined &&
    !isSet(context.appArmorProfile) &&
    !(ofPod && equalJson(ofPod, appArmorField(annotation) ?? null));
  return [
    ...(Object.hasOwn(annotations, seccomp) && !isSet(context.seccompProfile)
      ? [`${path}[${seccomp}]: ${seccompHint}`]
      : []),
    ...(differs
      ? [`${path}[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`]
      : []),
  ];
}

function containerWarnings(container: Decoded<Container>, path: string): string[] {
  const resources = container.resources ?? {};
  return [
    ...byteResources.flatMap((name) =>
      (["limits", "requests"] as const).flatMap((bound) =>
        fractionalByteWarnings(resources[bound] ?? {}, [name], `${path}.resources.${bound}`),
      ),
    ),
    ...variableWarnings(container.env ?? [], `${path}.env`),
  ];
}

/** A variable hides an earlier one of its name, unless its value refers to it. */
function variableWarnings(variables: readonly Decoded<EnvVar>[], path: string): string[] {
  const seen = new Set<string>();
  return eachItem(variables, path, (variable, at) => {
    const name = variable.name ?? "";
    const repeated = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const value = variable.value ?? "";
    const hides = isSet(variable.valueFrom) || value === reference || !value.includes(reference);
    return repeated && hides
      ? [
          `${at}: hides previous definition of ${quoteGo(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
}

function affinityWarnings(affinity: Decoded<Affinity>, path: string): string[] {
  const message = ": a null labelSelector results in matching no pod";
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => [
    ...eachItem(
      affinity[kind]?.requiredDuringSchedulingIgnoredDuringExecution,
      `${path}.${kind}.requiredDuringSchedulingIgnoredDuringExecution`,
      (term, at) => (isSet(term.labelSelector) ? [] : [`${at}.labelSelector${message}`]),
    ),
    ...eachItem(
      affinity[kind]?.preferredDuringSchedulingIgnoredDuringExecution,
      `${path}.${kind}.preferredDuringSchedulingIgnoredDuringExecution`,
      (term, at) =>
        isSet(term.podAffinityTerm?.labelSelector)
          ? []
          : [`${at}.podAffinityTerm.labelSelector${message}`],
    ),
  ]);
}
