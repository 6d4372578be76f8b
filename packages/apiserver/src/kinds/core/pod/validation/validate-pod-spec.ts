// Validation of a PodSpec, in upstream's order.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodSpec).
import { type Decoded, labelKeyFaults } from "homeostat/api";
import type { PodReadinessGate, PodResourceClaim, PodSpec } from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  type InternalValue,
} from "../../../../apimachinery/errors/field-error.ts";
import { validateLabels } from "../../../../apimachinery/meta/validate-object-meta.ts";
import { legacyIpErrors } from "../../../validation/ip-addresses.ts";
import { hasItems, isSet, optionalInt64 } from "../../../../apimachinery/meta/read-fields.ts";
import { visitContainers } from "../containers/visit-containers.ts";
import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  enumErrors,
  inRange,
  ruled,
} from "../../../validation/field-rules.ts";
import type { PodValidationOptions } from "./options/pod-validation-options.ts";
import { validateAffinity } from "./validate-affinity.ts";
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./containers/validate-containers.ts";
import { validatePodDns } from "./validate-pod-dns.ts";
import {
  validateContainerResources,
  validatePodResources,
} from "./containers/validate-resources.ts";
import {
  validateSchedulingGates,
  validateSpread,
  validateToleration,
} from "./validate-scheduling.ts";
import { validatePodContext } from "./security/validate-security-context.ts";
import { validateVolumes } from "./volumes/validate-volumes.ts";
import { validateHostProcess, validateOs } from "./security/validate-windows.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** Validates the spec at `path`. `metadata` is the pod's, undefined for a template. */
export function validatePodSpec(
  spec: Decoded<PodSpec>,
  metadata: Decoded<ObjectMeta> | undefined,
  path: string,
  options: PodValidationOptions,
): FieldError[] {
  const { volumes, errors: volumeErrors } = validateVolumes(
    spec.volumes ?? [],
    metadata?.name ?? "",
    `${path}.volumes`,
    options,
  );
  const claims = new Set(
    (spec.resourceClaims ?? []).map((claim) => claim.name ?? "").filter(Boolean),
  );
  const pod = { spec, volumes, claims };
  return [
    ...errorIf(!isSet(spec.terminationGracePeriodSeconds), () =>
      fieldError.required(`${path}.terminationGracePeriodSeconds`, ""),
    ),
    ...volumeErrors,
    ...claimErrors(spec.resourceClaims ?? [], metadata, `${path}.resourceClaims`),
    ...validateContainers(pod, `${path}.containers`),
    ...validateInitContainers(pod, `${path}.initContainers`),
    ...validateEphemeralContainers(pod, `${path}.ephemeralContainers`),
    ...validatePodResources(spec, claims, path),
    ...hostNetworkErrors(spec, path, options),
    ...enumErrors(spec.restartPolicy ?? "", restartPolicies, `${path}.restartPolicy`),
    ...enumErrors(spec.dnsPolicy ?? "", dnsPolicies, `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector ?? {}, `${path}.nodeSelector`),
    ...validatePodContext(spec, `${path}.securityContext`, options),
    ...validateAffinity(spec.affinity, `${path}.affinity`),
    ...validatePodDns(spec.dnsConfig ?? undefined, spec.dnsPolicy ?? "", `${path}.dnsConfig`),
    ...readinessGateErrors(spec.readinessGates ?? [], `${path}.readinessGates`),
    ...validateSchedulingGates(spec.schedulingGates ?? [], `${path}.schedulingGates`),
    ...validateSpread(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
    ...validateHostProcess(spec, path),
    ...hostUsersErrors(spec, path),
    ...hostnameErrors(spec, path),
    ...referenceErrors(spec, path),
    ...fileVolumeErrors(spec, path),
  ];
}

function readinessGateErrors(
  gates: readonly Decoded<PodReadinessGate>[],
  path: string,
): FieldError[] {
  return eachItem(gates, path, ({ conditionType }, at) =>
    ruled(labelKeyFaults, conditionType ?? "", `${at}.conditionType`),
  );
}

function claimErrors(
  claims: readonly Decoded<PodResourceClaim>[],
  metadata: Decoded<ObjectMeta> | undefined,
  path: string,
): FieldError[] {
  const isStatic =
    metadata !== undefined &&
    Object.hasOwn(metadata.annotations ?? {}, "kubernetes.io/config.mirror");
  const names = new Set<string>();
  return eachItem(claims, path, (claim, at) =>
    isStatic
      ? [fieldError.forbidden("", "static pods do not support resource claims")]
      : oneClaimErrors(claim, names, at),
  );
}

function oneClaimErrors(
  claim: Decoded<PodResourceClaim>,
  names: Set<string>,
  path: string,
): FieldError[] {
  const name = claim.name ?? "";
  const repeated = names.has(name);
  if (name) names.add(name);
  const direct = claim.resourceClaimName ?? undefined;
  const template = claim.resourceClaimTemplateName ?? undefined;
  const shown: InternalValue = ["core.PodResourceClaim", claim];
  return [
    ...claimNameErrors(name, repeated, `${path}.name`),
    ...errorIf(direct !== undefined && template !== undefined, () =>
      fieldError.invalidInternal(
        path,
        shown,
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
      ),
    ),
    ...errorIf(direct === undefined && template === undefined, () =>
      fieldError.invalidInternal(
        path,
        shown,
        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
      ),
    ),
    ...(direct === undefined ? [] : dnsSubdomainErrors(direct, `${path}.resourceClaimName`)),
    ...(template === undefined
      ? []
      : dnsSubdomainErrors(template, `${path}.resourceClaimTemplateName`)),
  ];
}

function claimNameErrors(name: string, repeated: boolean, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  return repeated ? [fieldError.duplicate(path, name)] : dnsLabelErrors(name, path);
}

function hostNetworkErrors(
  spec: Decoded<PodSpec>,
  path: string,
  { isPod }: PodValidationOptions,
): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return eachItem(spec.containers, `${path}.containers`, (container, at) =>
    eachItem(container.ports, `${at}.ports`, (port, at) => {
      const hostPort = port.hostPort ?? 0;
      const differs = (isPod || hostPort !== 0) && hostPort !== (port.containerPort ?? 0);
      return errorIf(differs, () =>
        fieldError.invalid(
          `${at}.hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        ),
      );
    }),
  );
}

function hostUsersErrors(spec: Decoded<PodSpec>, path: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const detail = "when `hostUsers` is false";
  return [
    ...errorIf(spec.hostNetwork === true, () =>
      fieldError.forbidden(`${path}.hostNetwork`, detail),
    ),
    ...errorIf(spec.hostPID === true, () => fieldError.forbidden(`${path}.HostPID`, detail)),
    ...errorIf(spec.hostIPC === true, () => fieldError.forbidden(`${path}.HostIPC`, detail)),
    ...visitContainers(spec, path, (container, at) =>
      errorIf(hasItems(container.volumeDevices), () =>
        fieldError.forbidden(`${at}.volumeDevices`, detail),
      ),
    ),
  ];
}

function hostnameErrors(spec: Decoded<PodSpec>, path: string): FieldError[] {
  const name = spec.hostnameOverride ?? undefined;
  if (name === undefined) return [];
  const at = `${path}.hostnameOverride`;
  return [
    ...errorIf(spec.setHostnameAsFQDN === true, () =>
      fieldError.forbidden(at, "may not be specified when setHostnameAsFQDN is true"),
    ),
    ...errorIf(spec.hostNetwork === true, () =>
      fieldError.forbidden(at, "may not be specified when hostNetwork is true"),
    ),
    ...errorIf(Buffer.byteLength(name) > 64, () => fieldError.tooLong(at, 64)),
    ...dnsSubdomainErrors(name, at),
  ];
}

/** The fields whose value, if any, is a name. */
type NameField = "hostname" | "nodeName" | "priorityClassName" | "serviceAccountName" | "subdomain";

/** References to other objects, and the fields that upstream validates after them. */
function referenceErrors(spec: Decoded<PodSpec>, path: string): FieldError[] {
  const named = (
    field: NameField,
    rule: (name: string, at: string) => FieldError[],
  ): FieldError[] => {
    const name = spec[field];
    return name ? rule(name, `${path}.${field}`) : [];
  };
  const deadline = optionalInt64(spec.activeDeadlineSeconds);
  const preemption = spec.preemptionPolicy ?? undefined;
  const runtimeClass = spec.runtimeClassName ?? undefined;
  return [
    ...named("serviceAccountName", dnsSubdomainErrors),
    ...named("nodeName", dnsSubdomainErrors),
    ...(deadline === undefined
      ? []
      : inRange(deadline, 1, 2147483647, `${path}.activeDeadlineSeconds`)),
    ...named("hostname", dnsLabelErrors),
    ...named("subdomain", dnsLabelErrors),
    ...eachItem(spec.tolerations, `${path}.tolerations`, validateToleration),
    ...eachItem(spec.hostAliases, `${path}.hostAliases`, (alias, at) => [
      ...legacyIpErrors(alias.ip ?? "", `${at}.ip`),
      ...eachItem(alias.hostnames, `${at}.hostnames`, dnsSubdomainErrors),
    ]),
    ...named("priorityClassName", dnsSubdomainErrors),
    ...(runtimeClass === undefined
      ? []
      : dnsSubdomainErrors(runtimeClass, `${path}.runtimeClassName`)),
    ...(preemption === undefined
      ? []
      : enumErrors(preemption, ["PreemptLowerPriority", "Never"], `${path}.preemptionPolicy`)),
    ...(isSet(spec.overhead)
      ? validateContainerResources({ limits: spec.overhead }, new Set(), `${path}.overhead`)
      : []),
    ...validateOs(spec, path),
  ];
}

function fileVolumeErrors(spec: Decoded<PodSpec>, path: string): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name ?? "", volume]));
  return visitContainers(spec, path, (container, at) =>
    eachItem(container.env, `${at}.env`, (variable, at) => {
      const file = variable.valueFrom?.fileKeyRef;
      if (!file) return [];
      const name = file.volumeName ?? "";
      const volume = volumes.get(name);
      const where = `${at}.valueFrom.fileKeyRef.volumeName`;
      if (!volume) return [fieldError.notFound(where, name)];
      return errorIf(!isSet(volume.emptyDir), () =>
        fieldError.invalid(where, name, "referenced volume must be of type emptyDir"),
      );
    }),
  );
}
