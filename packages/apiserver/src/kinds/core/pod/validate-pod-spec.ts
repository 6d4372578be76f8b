// The rules of a PodSpec as a whole, in upstream's order.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodSpec).
import { type JsonObject, labelKeyFaults } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  type InternalValue,
  invalid,
  invalidInternal,
  notFound,
  notSupported,
  required,
  tooLong,
} from "../../../registry/field-error.ts";
import { validateLabels } from "../../../registry/object-meta/validate-object-meta.ts";
import { legacyIpErrors } from "../../object/ip-addresses.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  optionalTextAt,
  textMapAt,
  textsAt,
} from "../../object/read-fields.ts";
import { objectAt, stringAt } from "../../object/strategy.ts";
import { visitContainers } from "./containers.ts";
import { dnsLabelErrors, dnsSubdomainErrors, inRange, ruled } from "./field-rules.ts";
import type { PodRules } from "./pod-rules.ts";
import { validateAffinity } from "./validate-affinity.ts";
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./validate-containers.ts";
import type { Volumes } from "./validate-mounts.ts";
import { validatePodDns } from "./validate-pod-dns.ts";
import { validateContainerResources, validatePodResources } from "./validate-resources.ts";
import {
  validateSchedulingGates,
  validateSpread,
  validateTolerations,
} from "./validate-scheduling.ts";
import { validatePodContext } from "./validate-security-context.ts";
import { validateVolumeSource } from "./validate-volume-source.ts";
import { validateHostProcess, validateOs } from "./validate-windows.ts";

/** Every breach. `metadata` is the pod's; templates have none that counts. */
export function validatePodSpec(
  spec: JsonObject,
  metadata: JsonObject | undefined,
  path: string,
  rules: PodRules,
): FieldError[] {
  const volumeErrors: FieldError[] = [];
  const volumes = validVolumes(spec, metadata, `${path}.volumes`, rules, volumeErrors);
  const claims = new Set(
    itemsAt(spec, "resourceClaims")
      .map((claim) => stringAt(claim, "name"))
      .filter(Boolean),
  );
  const pod = { spec, volumes, claims };
  return [
    ...(isSet(spec["terminationGracePeriodSeconds"])
      ? []
      : [required(`${path}.terminationGracePeriodSeconds`, "")]),
    ...volumeErrors,
    ...claimErrors(itemsAt(spec, "resourceClaims"), metadata, `${path}.resourceClaims`),
    ...validateContainers(pod, `${path}.containers`),
    ...validateInitContainers(pod, `${path}.initContainers`),
    ...validateEphemeralContainers(pod, `${path}.ephemeralContainers`),
    ...validatePodResources(spec, claims, path),
    ...hostNetworkErrors(spec, path, rules),
    ...enumErrors(
      stringAt(spec, "restartPolicy"),
      ["Always", "OnFailure", "Never"],
      `${path}.restartPolicy`,
    ),
    ...enumErrors(
      stringAt(spec, "dnsPolicy"),
      ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
      `${path}.dnsPolicy`,
    ),
    ...validateLabels(textMapAt(spec, "nodeSelector"), `${path}.nodeSelector`),
    ...validatePodContext(spec, `${path}.securityContext`, rules),
    ...validateAffinity(mutableAt(spec, "affinity"), `${path}.affinity`),
    ...validatePodDns(
      mutableAt(spec, "dnsConfig"),
      stringAt(spec, "dnsPolicy"),
      `${path}.dnsConfig`,
    ),
    ...itemsAt(spec, "readinessGates").flatMap((gate, i) =>
      ruled(
        labelKeyFaults,
        stringAt(gate, "conditionType"),
        `${path}.readinessGates[${i}].conditionType`,
      ),
    ),
    ...validateSchedulingGates(itemsAt(spec, "schedulingGates"), `${path}.schedulingGates`),
    ...validateSpread(
      itemsAt(spec, "topologySpreadConstraints"),
      `${path}.topologySpreadConstraints`,
    ),
    ...validateHostProcess(spec, path),
    ...hostUsersErrors(spec, path),
    ...hostnameErrors(spec, path),
    ...referenceErrors(spec, path),
    ...fileVolumeErrors(spec, path),
  ];
}

function validVolumes(
  spec: JsonObject,
  metadata: JsonObject | undefined,
  path: string,
  rules: PodRules,
  errors: FieldError[],
): Volumes {
  const volumes = itemsAt(spec, "volumes");
  const podName = metadata ? stringAt(metadata, "name") : "";
  const ownClaims = podName
    ? volumes
        .filter((volume) => isSet(volume["ephemeral"]))
        .map((volume) => `${podName}-${stringAt(volume, "name")}`)
    : [];
  const valid = new Map<string, JsonObject>();
  volumes.forEach((volume, i) => {
    const name = stringAt(volume, "name");
    const faults = [
      ...validateVolumeSource(volume, `${path}[${i}]`, { volumeName: name, podName, rules }),
      ...(name ? dnsLabelErrors(name, `${path}[${i}].name`) : [required(`${path}[${i}].name`, "")]),
      ...(valid.has(name) ? [duplicate(`${path}[${i}].name`, name)] : []),
    ];
    if (!faults.length) valid.set(name, volume);
    const claim = stringAt(objectAt(volume, "persistentVolumeClaim"), "claimName");
    errors.push(
      ...faults,
      ...(claim && ownClaims.includes(claim)
        ? [
            invalid(
              `${path}[${i}].persistentVolumeClaim.claimName`,
              claim,
              "must not reference a PVC that gets created for an ephemeral volume",
            ),
          ]
        : []),
    );
  });
  return valid;
}

function claimErrors(
  claims: readonly JsonObject[],
  metadata: JsonObject | undefined,
  path: string,
): FieldError[] {
  const isStatic =
    metadata !== undefined &&
    Object.hasOwn(textMapAt(metadata, "annotations"), "kubernetes.io/config.mirror");
  const names = new Set<string>();
  return claims.flatMap((claim, i) =>
    isStatic
      ? [forbidden("", "static pods do not support resource claims")]
      : oneClaimErrors(claim, names, `${path}[${i}]`),
  );
}

function oneClaimErrors(claim: JsonObject, names: Set<string>, path: string): FieldError[] {
  const name = stringAt(claim, "name");
  const repeated = names.has(name);
  if (name) names.add(name);
  const direct = optionalTextAt(claim, "resourceClaimName");
  const template = optionalTextAt(claim, "resourceClaimTemplateName");
  const shown: InternalValue = ["core.PodResourceClaim", claim];
  return [
    ...(!name
      ? [required(`${path}.name`, "")]
      : repeated
        ? [duplicate(`${path}.name`, name)]
        : dnsLabelErrors(name, `${path}.name`)),
    ...(direct !== undefined && template !== undefined
      ? [
          invalidInternal(
            path,
            shown,
            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
          ),
        ]
      : []),
    ...(direct === undefined && template === undefined
      ? [
          invalidInternal(
            path,
            shown,
            "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
          ),
        ]
      : []),
    ...(direct === undefined ? [] : dnsSubdomainErrors(direct, `${path}.resourceClaimName`)),
    ...(template === undefined
      ? []
      : dnsSubdomainErrors(template, `${path}.resourceClaimTemplateName`)),
  ];
}

function hostNetworkErrors(spec: JsonObject, path: string, { isPod }: PodRules): FieldError[] {
  if (spec["hostNetwork"] !== true) return [];
  return itemsAt(spec, "containers").flatMap((container, i) =>
    itemsAt(container, "ports").flatMap((port, j) => {
      const hostPort = numberAt(port, "hostPort");
      const differs = (isPod || hostPort !== 0) && hostPort !== numberAt(port, "containerPort");
      return differs
        ? [
            invalid(
              `${path}.containers[${i}].ports[${j}].hostPort`,
              hostPort,
              "must match `containerPort` when `hostNetwork` is true",
            ),
          ]
        : [];
    }),
  );
}

function enumErrors(value: string, values: readonly string[], path: string): FieldError[] {
  if (!value) return [required(path, "")];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

function hostUsersErrors(spec: JsonObject, path: string): FieldError[] {
  if (spec["hostUsers"] !== false) return [];
  const detail = "when `hostUsers` is false";
  return [
    ...(spec["hostNetwork"] === true ? [forbidden(`${path}.hostNetwork`, detail)] : []),
    ...(spec["hostPID"] === true ? [forbidden(`${path}.HostPID`, detail)] : []),
    ...(spec["hostIPC"] === true ? [forbidden(`${path}.HostIPC`, detail)] : []),
    ...visitContainers(spec, path, (container, at) =>
      hasItems(container["volumeDevices"]) ? [forbidden(`${at}.volumeDevices`, detail)] : [],
    ),
  ];
}

function hostnameErrors(spec: JsonObject, path: string): FieldError[] {
  const name = optionalTextAt(spec, "hostnameOverride");
  if (name === undefined) return [];
  const at = `${path}.hostnameOverride`;
  return [
    ...(spec["setHostnameAsFQDN"] === true
      ? [forbidden(at, "may not be specified when setHostnameAsFQDN is true")]
      : []),
    ...(spec["hostNetwork"] === true
      ? [forbidden(at, "may not be specified when hostNetwork is true")]
      : []),
    ...(Buffer.byteLength(name) > 64 ? [tooLong(at, 64)] : []),
    ...dnsSubdomainErrors(name, at),
  ];
}

/** What names other things, and the rest. */
function referenceErrors(spec: JsonObject, path: string): FieldError[] {
  const named = (field: string, rule: (name: string, at: string) => FieldError[]): FieldError[] => {
    const name = stringAt(spec, field);
    return name ? rule(name, `${path}.${field}`) : [];
  };
  const deadline = optionalNumberAt(spec, "activeDeadlineSeconds");
  const preemption = optionalTextAt(spec, "preemptionPolicy");
  const runtimeClass = optionalTextAt(spec, "runtimeClassName");
  return [
    ...named("serviceAccountName", dnsSubdomainErrors),
    ...named("nodeName", dnsSubdomainErrors),
    ...(deadline === undefined
      ? []
      : inRange(deadline, 1, 2147483647, `${path}.activeDeadlineSeconds`)),
    ...named("hostname", dnsLabelErrors),
    ...named("subdomain", dnsLabelErrors),
    ...validateTolerations(itemsAt(spec, "tolerations"), `${path}.tolerations`),
    ...itemsAt(spec, "hostAliases").flatMap((alias, i) => [
      ...legacyIpErrors(stringAt(alias, "ip"), `${path}.hostAliases[${i}].ip`),
      ...textsAt(alias, "hostnames").flatMap((name, j) =>
        dnsSubdomainErrors(name, `${path}.hostAliases[${i}].hostnames[${j}]`),
      ),
    ]),
    ...named("priorityClassName", dnsSubdomainErrors),
    ...(runtimeClass === undefined
      ? []
      : dnsSubdomainErrors(runtimeClass, `${path}.runtimeClassName`)),
    ...(preemption === undefined
      ? []
      : enumErrors(preemption, ["PreemptLowerPriority", "Never"], `${path}.preemptionPolicy`)),
    ...(isSet(spec["overhead"])
      ? validateContainerResources({ limits: spec["overhead"] }, new Set(), `${path}.overhead`)
      : []),
    ...validateOs(spec, path),
  ];
}

function fileVolumeErrors(spec: JsonObject, path: string): FieldError[] {
  const volumes = new Map(
    itemsAt(spec, "volumes").map((volume) => [stringAt(volume, "name"), volume]),
  );
  return visitContainers(spec, path, (container, at) =>
    itemsAt(container, "env").flatMap((variable, i) => {
      const file = mutableAt(objectAt(variable, "valueFrom"), "fileKeyRef");
      if (!file) return [];
      const name = stringAt(file, "volumeName");
      const volume = volumes.get(name);
      const where = `${at}.env[${i}].valueFrom.fileKeyRef.volumeName`;
      if (!volume) return [notFound(where, name)];
      return isSet(volume["emptyDir"])
        ? []
        : [invalid(where, name, "referenced volume must be of type emptyDir")];
    }),
  );
}
