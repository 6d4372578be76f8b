// Validation of the three lists of containers of a pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateContainers,
// validateInitContainers, validateEphemeralContainers, validateContainerCommon).
import type { Decoded } from "homeostat/api";
import type {
  Container,
  ContainerPort,
  ContainerRestartRule,
  PodSpec,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
} from "../../../../../apimachinery/errors/field-error.ts";
import { hasItems, isSet, optionalInt64 } from "../../../../../apimachinery/meta/read-fields.ts";
import {
  createUniqueRule,
  dnsLabelErrors,
  enumErrors,
  portNameErrors,
  portNumberErrors,
  requiredValid,
} from "../../../../validation/field-rules.ts";
import { validateVariable, validateEnvironmentSources } from "./validate-environment.ts";
import type { Volumes } from "../volumes/validate-volumes.ts";
import { validateDevices, validateMounts } from "./validate-mounts.ts";
import { validateLifecycle, validateProbes } from "./validate-probes.ts";
import { pullPolicyErrors } from "../volumes/validate-pull-policy.ts";
import { validateContainerResources } from "./validate-resources.ts";
import { validateContainerContext } from "../security/validate-security-context.ts";

/** The parts of the pod that containers refer to. */
export interface ContainerContext {
  readonly spec: Decoded<PodSpec>;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
}

/** `containers`. */
export function validateContainers(pod: ContainerContext, path: string): FieldError[] {
  const containers = pod.spec.containers ?? [];
  if (!containers.length) return [fieldError.required(path, "")];
  const unique = createUniqueRule();
  const errors = eachItem(containers, path, (container, at) => [
    ...commonErrors(container, pod, at),
    ...unique(container.name ?? "", `${at}.name`),
    ...lifecycleErrors(container, pod.spec, at),
    ...restartErrors(container, at),
  ]);
  return [...errors, ...hostPortConflicts(containers, path)];
}

/** `initContainers`. Those with restartPolicy Always are sidecars, with the rules of containers. */
export function validateInitContainers(pod: ContainerContext, path: string): FieldError[] {
  const names = new Set((pod.spec.containers ?? []).map((container) => container.name ?? ""));
  return eachItem(pod.spec.initContainers, path, (container, at) => {
    const name = container.name ?? "";
    const repeated = names.has(name);
    if (name) names.add(name);
    const isSidecar = container.restartPolicy === "Always";
    return [
      ...commonErrors(container, pod, at),
      ...restartErrors(container, at),
      ...errorIf(repeated, () => fieldError.duplicate(`${at}.name`, name)),
      ...hostPortConflicts([container], path),
      ...(isSidecar
        ? lifecycleErrors(container, pod.spec, at)
        : [...sidecarOnly(container, at), ...restartingResize(container, at)]),
    ];
  });
}

function sidecarOnly(container: Decoded<Container>, path: string): FieldError[] {
  return (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
    .filter((name) => isSet(container[name]))
    .map((name) =>
      fieldError.forbidden(
        `${path}.${name}`,
        "may not be set for init containers without restartPolicy=Always",
      ),
    );
}

function restartingResize(container: Decoded<Container>, path: string): FieldError[] {
  return eachItem(container.resizePolicy, `${path}.resizePolicy`, (policy, at) =>
    errorIf(policy.restartPolicy === "RestartContainer", () =>
      fieldError.invalid(
        `${at}.restartPolicy`,
        "RestartContainer",
        "must not be set to 'RestartContainer' for non-sidecar initContainers",
      ),
    ),
  );
}

/** `ephemeralContainers`. */
export function validateEphemeralContainers(pod: ContainerContext, path: string): FieldError[] {
  const others = new Set(
    [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].map(
      (container) => container.name ?? "",
    ),
  );
  const names = new Set(others);
  return eachItem(pod.spec.ephemeralContainers, path, (container, at) => {
    const name = container.name ?? "";
    const target = container.targetContainerName ?? "";
    const repeated = names.has(name);
    names.add(name);
    return [
      ...commonErrors(container, pod, at),
      ...validateImageSpace(container, at),
      ...errorIf(repeated, () => fieldError.duplicate(`${at}.name`, name)),
      ...errorIf(target && !others.has(target), () =>
        fieldError.notFound(`${at}.targetContainerName`, target),
      ),
      ...forbiddenInEphemeral
        .filter((field) => isPresent(container, field))
        .map((field) =>
          fieldError.forbidden(`${at}.${field}`, "cannot be set for an Ephemeral Container"),
        ),
      ...eachItem(container.volumeMounts, `${at}.volumeMounts`, (mount, at) =>
        (["subPath", "subPathExpr"] as const)
          .filter((field) => mount[field])
          .map((field) =>
            fieldError.forbidden(`${at}.${field}`, "cannot be set for an Ephemeral Container"),
          ),
      ),
    ];
  });
}

/** In the order of upstream's struct. */
const forbiddenInEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const satisfies readonly (keyof Container)[];

const isPresent = (
  container: Decoded<Container>,
  field: (typeof forbiddenInEphemeral)[number],
): boolean =>
  field === "resources" ? Object.keys(container[field] ?? {}).length > 0 : isSet(container[field]);

/** Refuses an image with leading or trailing whitespace; of pods, not of templates. */
export function validateImageSpace(container: Decoded<Container>, path: string): FieldError[] {
  const image = container.image ?? "";
  return errorIf(image !== image.trim(), () =>
    fieldError.invalid(`${path}.image`, image, "must not have leading or trailing whitespace"),
  );
}

function commonErrors(
  container: Decoded<Container>,
  { spec, volumes, claims }: ContainerContext,
  path: string,
): FieldError[] {
  const name = container.name ?? "";
  return [
    ...requiredValid(dnsLabelErrors, name, `${path}.name`),
    ...errorIf(!container.image, () => fieldError.required(`${path}.image`, "")),
    ...enumErrors(
      container.terminationMessagePolicy ?? "",
      ["File", "FallbackToLogsOnError"],
      `${path}.terminationMessagePolicy`,
    ),
    ...portErrors(container.ports ?? [], `${path}.ports`),
    ...eachItem(container.env, `${path}.env`, validateVariable),
    ...validateEnvironmentSources(container.envFrom ?? [], `${path}.envFrom`),
    ...validateMounts(container, volumes, `${path}.volumeMounts`),
    ...validateDevices(container, volumes, `${path}.volumeDevices`),
    ...pullPolicyErrors(container.imagePullPolicy ?? "", `${path}.imagePullPolicy`),
    ...validateContainerResources(container.resources ?? {}, claims, `${path}.resources`),
    ...resizePolicyErrors(container, spec.restartPolicy ?? "", `${path}.resizePolicy`),
    ...validateContainerContext(container.securityContext ?? undefined, `${path}.securityContext`, {
      hostUsers: spec.hostUsers !== false,
    }),
  ];
}

function lifecycleErrors(
  container: Decoded<Container>,
  spec: Decoded<PodSpec>,
  path: string,
): FieldError[] {
  const { lifecycle } = container;
  const grace = optionalInt64(spec.terminationGracePeriodSeconds);
  return [
    ...(lifecycle ? validateLifecycle(lifecycle, grace, `${path}.lifecycle`) : []),
    ...validateProbes(container, grace, path),
  ];
}

const protocols = ["SCTP", "TCP", "UDP"];

function portErrors(ports: readonly Decoded<ContainerPort>[], path: string): FieldError[] {
  const names = new Set<string>();
  return eachItem(ports, path, (port, at) => {
    const number = port.containerPort ?? 0;
    const hostPort = port.hostPort ?? 0;
    const protocol = port.protocol ?? "";
    return [
      ...namedPort(port.name ?? "", names, `${at}.name`),
      ...(number === 0
        ? [fieldError.required(`${at}.containerPort`, "")]
        : portNumberErrors(number, `${at}.containerPort`)),
      ...(hostPort === 0 ? [] : portNumberErrors(hostPort, `${at}.hostPort`)),
      ...enumErrors(protocol, protocols, `${at}.protocol`),
    ];
  });
}

function namedPort(name: string, names: Set<string>, path: string): FieldError[] {
  if (!name) return [];
  const errors = portNameErrors(name, path);
  if (errors.length) return errors;
  if (names.has(name)) return [fieldError.duplicate(path, name)];
  names.add(name);
  return [];
}

function hostPortConflicts(containers: readonly Decoded<Container>[], path: string): FieldError[] {
  const taken = new Set<string>();
  return eachItem(containers, path, (container, at) =>
    eachItem(container.ports, `${at}.ports`, (port, at) => {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === 0) return [];
      const key = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${hostPort}`;
      if (taken.has(key)) return [fieldError.duplicate(`${at}.hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function resizePolicyErrors(
  { resizePolicy }: Decoded<Container>,
  podRestartPolicy: string,
  path: string,
): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(resizePolicy, path, (policy, at) => {
    const name = policy.resourceName ?? "";
    const restart = policy.restartPolicy ?? "";
    return [
      ...unique(name, at),
      ...enumErrors(name, ["cpu", "memory"], path),
      ...enumErrors(restart, ["NotRequired", "RestartContainer"], path),
      ...errorIf(podRestartPolicy === "Never" && restart !== "NotRequired", () =>
        fieldError.invalid(
          path,
          restart,
          "must be 'NotRequired' when pod `restartPolicy` is 'Never'",
        ),
      ),
    ];
  });
}

/** A container's own restart policy and the rules that refine it. */
function restartErrors(container: Decoded<Container>, path: string): FieldError[] {
  const policy = container.restartPolicy ?? undefined;
  const rules = container.restartPolicyRules ?? [];
  const errors: FieldError[] = [];
  if (policy === undefined) {
    if (!hasItems(container.restartPolicyRules)) return [];
    errors.push(
      fieldError.required(
        `${path}.restartPolicy`,
        "must specify restartPolicy when restart rules are used",
      ),
    );
  } else if (!["Always", "Never", "OnFailure"].includes(policy))
    errors.push(
      fieldError.notSupported(`${path}.restartPolicy`, policy, ["Always", "Never", "OnFailure"]),
    );
  if (rules.length > 20)
    errors.push(fieldError.tooMany(`${path}.restartPolicyRules`, rules.length, 20));
  return [...errors, ...eachItem(rules, `${path}.restartPolicyRules`, restartRuleErrors)];
}

function restartRuleErrors(rule: Decoded<ContainerRestartRule>, path: string): FieldError[] {
  const action = rule.action ?? "";
  const codes = rule.exitCodes ?? undefined;
  const errors = errorIf(action !== "Restart" && action !== "RestartAllContainers", () =>
    fieldError.notSupported(`${path}.action`, action, ["Restart", "RestartAllContainers"]),
  );
  if (!codes) return [...errors, fieldError.required(`${path}.exitCodes`, "must be specified")];
  const operator = codes.operator ?? "";
  const count = (codes.values ?? []).length;
  return [
    ...errors,
    ...errorIf(operator !== "In" && operator !== "NotIn", () =>
      fieldError.notSupported(`${path}.exitCodes.operator`, operator, ["In", "NotIn"]),
    ),
    ...errorIf(count > 255, () => fieldError.tooMany(`${path}.exitCodes.values`, count, 255)),
  ];
}
