// Validation of an update of a pod's status.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate),
// pkg/api/v1/pod/util.go (ContainerShouldRestart).
import { type Decoded, labelKeyFaults } from "homeostat/api";
import type {
  Container,
  ContainerStatus,
  Pod,
  PodCondition,
  PodResourceClaim,
  PodResourceClaimStatus,
  PodSpec,
  PodStatus,
  ResourceHealth,
  ResourceRequirements,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { ipFamilyOf, legacyIpErrors } from "../../../validation/ip-addresses.ts";
import { hasItems } from "../../../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, immutable } from "../../../validation/validate-object.ts";
import {
  createUniqueRule,
  dnsSubdomainErrors,
  ruled,
  unixIdErrors,
} from "../../../validation/field-rules.ts";
import { validateAnnotationsOf } from "./validate-pod-update.ts";

const lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;
type StatusList = (typeof lists)[number];

/** Validates an update through the status endpoint. */
export function validatePodStatusUpdate(pod: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  const status = pod.status ?? {};
  const before = old.status ?? {};
  const spec = pod.spec ?? {};
  return [
    ...finalizerErrors(pod),
    ...validateAnnotationsOf(pod, old),
    ...conditionErrors(status.conditions ?? []),
    ...nominationErrors(status, before, old.spec ?? {}),
    ...errorIf(Number(status.observedGeneration ?? 0) < 0, () =>
      fieldError.invalid(
        "status.observedGeneration",
        Number(status.observedGeneration ?? 0),
        "must be a non-negative integer",
      ),
    ),
    ...immutable("status.qosClass", status.qosClass ?? "", before.qosClass ?? ""),
    ...transitionErrors(status, before, old.spec ?? {}),
    ...claimStatusErrors(status.resourceClaimStatuses ?? [], spec.resourceClaims ?? []),
    ...addressErrors(status, before, "podIPs"),
    ...hostAddressErrors(status, before),
    ...lists.flatMap((list) =>
      eachItem(status[list], `status.${list}`, (container, at) =>
        userErrors(container, spec.os?.name || "linux", `${at}.user.linux`),
      ),
    ),
    ...allocationErrors(
      status.containerStatuses ?? [],
      spec.containers ?? [],
      "status.containerStatuses",
    ),
    ...allocationErrors(
      status.initContainerStatuses ?? [],
      spec.initContainers ?? [],
      "status.initContainerStatuses",
    ),
    ...eachItem(
      status.ephemeralContainerStatuses,
      "status.ephemeralContainerStatuses",
      (container, at) =>
        errorIf(hasItems(container.allocatedResourcesStatus), () =>
          fieldError.forbidden(
            `${at}.allocatedResourcesStatus`,
            "must not be specified in container status",
          ),
        ),
    ),
  ];
}

function conditionErrors(conditions: readonly Decoded<PodCondition>[]): FieldError[] {
  return eachItem(conditions, "status.conditions", (condition, at) => {
    const type = condition.type ?? "";
    const generation = Number(condition.observedGeneration ?? 0);
    return [
      ...errorIf(generation < 0, () =>
        fieldError.invalid(
          `${at}.observedGeneration`,
          generation,
          "must be a non-negative integer",
        ),
      ),
      ...(["PodScheduled", "Ready", "Initialized"].includes(type)
        ? []
        : ruled(labelKeyFaults, type, `${at}.Type`)),
    ];
  });
}

function nominationErrors(
  status: Decoded<PodStatus>,
  before: Decoded<PodStatus>,
  oldSpec: Decoded<PodSpec>,
): FieldError[] {
  const name = status.nominatedNodeName ?? "";
  if (!name || name === (before.nominatedNodeName ?? "")) return [];
  const path = "status.nominatedNodeName";
  return [
    ...dnsSubdomainErrors(name, path),
    ...errorIf(oldSpec.nodeName, () =>
      fieldError.forbidden(path, "may not be set on pods that are already bound to a node"),
    ),
  ];
}

function transitionErrors(
  status: Decoded<PodStatus>,
  before: Decoded<PodStatus>,
  spec: Decoded<PodSpec>,
): FieldError[] {
  const canRestart = (list: StatusList, name: string, exitCode: number): boolean => {
    if (list === "ephemeralContainerStatuses") return false;
    const containers = list === "containerStatuses" ? spec.containers : spec.initContainers;
    const container = containers?.find((each) => (each.name ?? "") === name);
    return (
      canRestartAll(spec) || (container !== undefined && shouldRestart(container, spec, exitCode))
    );
  };
  return lists.flatMap((list) =>
    eachItem(before[list], `status.${list}`, (old, at) => {
      const name = old.name ?? "";
      const terminated = old.state?.terminated;
      const now = status[list]?.find((each) => (each.name ?? "") === name);
      if (!terminated || !now || now.state?.terminated) return [];
      return errorIf(!canRestart(list, name, terminated.exitCode ?? 0), () =>
        fieldError.forbidden(`${at}.state`, "may not be transitioned to non-terminated state"),
      );
    }),
  );
}

/** Whether a restart rule of any container restarts all of them. */
function canRestartAll(spec: Decoded<PodSpec>): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some((container) =>
    (container.restartPolicyRules ?? []).some((rule) => rule.action === "RestartAllContainers"),
  );
}

function shouldRestart(
  container: Decoded<Container>,
  spec: Decoded<PodSpec>,
  exitCode: number,
): boolean {
  const rules = container.restartPolicyRules ?? [];
  const policy = container.restartPolicy ?? undefined;
  for (const rule of policy === undefined ? [] : rules) {
    const codes = rule.exitCodes ?? {};
    const listed = codes.values?.includes(exitCode) ?? false;
    if ((codes.operator === "In") === listed) return true;
  }
  const effective = policy ?? spec.restartPolicy ?? "";
  return effective === "Always" || (effective === "OnFailure" && exitCode !== 0);
}

function claimStatusErrors(
  statuses: readonly Decoded<PodResourceClaimStatus>[],
  claims: readonly Decoded<PodResourceClaim>[],
): FieldError[] {
  const known = claims.map((claim) => claim.name ?? "");
  const unique = createUniqueRule();
  return eachItem(statuses, "status.resourceClaimStatuses", (status, path) => {
    const name = status.name ?? "";
    const claim = status.resourceClaimName ?? undefined;
    return [
      ...errorIf(!known.includes(name), () =>
        fieldError.invalid(
          `${path}.name`,
          name,
          "must match the name of an entry in `spec.resourceClaims`",
        ),
      ),
      ...unique(name, `${path}.name`),
      ...(claim === undefined ? [] : dnsSubdomainErrors(claim, `${path}.resourceClaimName`)),
    ];
  });
}

const addressesOf = (status: Decoded<PodStatus>, field: "podIPs" | "hostIPs"): string[] =>
  (status[field] ?? []).map((each) => each.ip ?? "");

function addressErrors(
  status: Decoded<PodStatus>,
  before: Decoded<PodStatus>,
  field: "podIPs" | "hostIPs",
): FieldError[] {
  const addresses = addressesOf(status, field);
  const kept = addressesOf(before, field);
  const families = addresses.map(ipFamilyOf);
  const unknown = addresses.length > 1 ? families.indexOf("") : -1;
  const tooMany =
    addresses.length > 1 && (addresses.length > 2 || unknown >= 0 || new Set(families).size < 2);
  return [
    ...eachItem(addresses, `status.${field}`, (address, at) => legacyIpErrors(address, at, kept)),
    ...errorIf(unknown >= 0, () =>
      fieldError.internalFault(
        `status.${field}`,
        `failed to check for dual stack with error:invalid IP[${unknown}]: ${addresses[unknown]}`,
      ),
    ),
    ...(tooMany
      ? [
          {
            type: "FieldValueInvalid" as const,
            field: `status.${field}`,
            body: `Invalid value: ${JSON.stringify(addresses.map((IP) => ({ IP })))}: may specify no more than one IP for each IP family`,
          },
        ]
      : []),
  ];
}

function hostAddressErrors(status: Decoded<PodStatus>, before: Decoded<PodStatus>): FieldError[] {
  const first = addressesOf(status, "hostIPs")[0];
  if (first === undefined) return [];
  return [
    ...errorIf((status.hostIP ?? "") !== first, () =>
      fieldError.invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"),
    ),
    ...addressErrors(status, before, "hostIPs"),
  ];
}

function userErrors(container: Decoded<ContainerStatus>, os: string, path: string): FieldError[] {
  const user = container.user?.linux;
  if (!user) return [];
  if (os === "windows") return [fieldError.forbidden(path, "cannot be set for a windows pod")];
  return [
    ...unixIdErrors(Number(user.uid ?? 0), `${path}.uid`),
    ...unixIdErrors(Number(user.gid ?? 0), `${path}.gid`),
    ...eachItem(user.supplementalGroups, `${path}.supplementalGroups`, (id, at) =>
      unixIdErrors(Number(id), at),
    ),
  ];
}

const healths = ["Healthy", "Unhealthy", "Unknown"];
const longestMessage = 1024;

function allocationErrors(
  statuses: readonly Decoded<ContainerStatus>[],
  containers: readonly Decoded<Container>[],
  path: string,
): FieldError[] {
  return eachItem(statuses, path, (status, at) => {
    const container = containers.find((each) => (each.name ?? "") === (status.name ?? ""));
    return eachItem(
      status.allocatedResourcesStatus,
      `${at}.allocatedResourcesStatus`,
      (allocated, at) => [
        ...(container
          ? allocatedNameErrors(allocated.name ?? "", container.resources ?? {}, `${at}.name`)
          : []),
        ...healthErrors(allocated.resources ?? [], `${at}.resources`),
      ],
    );
  });
}

function allocatedNameErrors(
  name: string,
  resources: Decoded<ResourceRequirements>,
  path: string,
): FieldError[] {
  if (!name.startsWith("claim:"))
    return errorIf(!Object.hasOwn(resources.requests ?? {}, name), () =>
      fieldError.invalid(path, name, "must match one of the container's resource requests"),
    );
  const claims = (resources.claims ?? []).map((claim) =>
    ["claim:", claim.name ?? "", claim.request ? `/${claim.request}` : ""].join(""),
  );
  return errorIf(!claims.includes(name), () =>
    fieldError.invalid(
      path,
      name,
      "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
    ),
  );
}

function healthErrors(resources: readonly Decoded<ResourceHealth>[], path: string): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(resources, path, (resource, at) => {
    const health = resource.health ?? "";
    const message = resource.message ?? undefined;
    return [
      ...errorIf(!healths.includes(health), () =>
        fieldError.notSupported(`${at}.health`, health, healths),
      ),
      ...errorIf(message === "", () =>
        fieldError.required(`${at}.message`, "must be non-empty if specified"),
      ),
      ...errorIf(message !== undefined && Buffer.byteLength(message) > longestMessage, () =>
        fieldError.tooLong(`${at}.message`, longestMessage),
      ),
      ...unique(resource.resourceID ?? "", `${at}.resourceID`),
    ];
  });
}
