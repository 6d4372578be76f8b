// The three lists of containers of a pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateContainers,
// validateInitContainers, validateEphemeralContainers, validateContainerCommon).
import type { JsonObject } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  optionalTextAt,
  objectAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import {
  dnsLabelErrors,
  portNameErrors,
  portNumberErrors,
} from "../../../../validation/field-rules.ts";
import { validateEnvironment, validateEnvironmentSources } from "./validate-environment.ts";
import { validateDevices, validateMounts, type Volumes } from "./validate-mounts.ts";
import { validateLifecycle, validateProbes } from "./validate-probes.ts";
import { pullPolicyErrors } from "./validate-pull-policy.ts";
import { validateContainerResources } from "./validate-resources.ts";
import { validateContainerContext } from "../security/validate-security-context.ts";

/** What containers are checked against. */
export interface PodSurroundings {
  readonly spec: JsonObject;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
}

/** `containers`. */
export function validateContainers(pod: PodSurroundings, path: string): FieldError[] {
  const containers = itemsAt(pod.spec, "containers");
  if (!containers.length) return [required(path, "")];
  const names = new Set<string>();
  const errors = containers.flatMap((container, i) => {
    const at = `${path}[${i}]`;
    const name = stringAt(container, "name");
    const repeated = names.has(name);
    names.add(name);
    return [
      ...commonErrors(container, pod, at),
      ...(repeated ? [duplicate(`${at}.name`, name)] : []),
      ...behaviourErrors(container, pod.spec, at),
      ...restartErrors(container, at),
    ];
  });
  return [...errors, ...hostPortConflicts(containers, path)];
}

/** `initContainers`; those that restart always are sidecars and may have what containers have. */
export function validateInitContainers(pod: PodSurroundings, path: string): FieldError[] {
  const names = new Set(
    itemsAt(pod.spec, "containers").map((container) => stringAt(container, "name")),
  );
  return itemsAt(pod.spec, "initContainers").flatMap((container, i) => {
    const at = `${path}[${i}]`;
    const name = stringAt(container, "name");
    const repeated = names.has(name);
    if (name) names.add(name);
    const isSidecar = stringAt(container, "restartPolicy") === "Always";
    return [
      ...commonErrors(container, pod, at),
      ...restartErrors(container, at),
      ...(repeated ? [duplicate(`${at}.name`, name)] : []),
      ...hostPortConflicts([container], path),
      ...(isSidecar
        ? behaviourErrors(container, pod.spec, at)
        : [...sidecarOnly(container, at), ...restartingResize(container, at)]),
    ];
  });
}

function sidecarOnly(container: JsonObject, path: string): FieldError[] {
  return ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]
    .filter((name) => isSet(container[name]))
    .map((name) =>
      forbidden(
        `${path}.${name}`,
        "may not be set for init containers without restartPolicy=Always",
      ),
    );
}

function restartingResize(container: JsonObject, path: string): FieldError[] {
  return itemsAt(container, "resizePolicy").flatMap((policy, i) =>
    stringAt(policy, "restartPolicy") === "RestartContainer"
      ? [
          invalid(
            `${path}.resizePolicy[${i}].restartPolicy`,
            "RestartContainer",
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : [],
  );
}

const notEphemeral = [
  "ports",
  "resources",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
];

/** `ephemeralContainers`. */
export function validateEphemeralContainers(pod: PodSurroundings, path: string): FieldError[] {
  const others = new Set(
    [...itemsAt(pod.spec, "containers"), ...itemsAt(pod.spec, "initContainers")].map((container) =>
      stringAt(container, "name"),
    ),
  );
  const names = new Set(others);
  return itemsAt(pod.spec, "ephemeralContainers").flatMap((container, i) => {
    const at = `${path}[${i}]`;
    const name = stringAt(container, "name");
    const target = stringAt(container, "targetContainerName");
    const repeated = names.has(name);
    names.add(name);
    return [
      ...commonErrors(container, pod, at),
      ...validateImageSpace(container, at),
      ...(repeated ? [duplicate(`${at}.name`, name)] : []),
      ...(target && !others.has(target) ? [notFound(`${at}.targetContainerName`, target)] : []),
      ...orderedByGo
        .filter((field) => notEphemeral.includes(field) && isThere(container, field))
        .map((field) => forbidden(`${at}.${field}`, "cannot be set for an Ephemeral Container")),
      ...itemsAt(container, "volumeMounts").flatMap((mount, j) =>
        ["subPath", "subPathExpr"]
          .filter((field) => stringAt(mount, field))
          .map((field) =>
            forbidden(
              `${at}.volumeMounts[${j}].${field}`,
              "cannot be set for an Ephemeral Container",
            ),
          ),
      ),
    ];
  });
}

const orderedByGo = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

const isThere = (container: JsonObject, field: string): boolean =>
  field === "resources"
    ? Object.keys(objectAt(container, field)).length > 0
    : isSet(container[field]);

/** The image must not be padded: for pods only. */
export function validateImageSpace(container: JsonObject, path: string): FieldError[] {
  const image = stringAt(container, "image");
  return image === image.trim()
    ? []
    : [invalid(`${path}.image`, image, "must not have leading or trailing whitespace")];
}

function commonErrors(
  container: JsonObject,
  { spec, volumes, claims }: PodSurroundings,
  path: string,
): FieldError[] {
  const name = stringAt(container, "name");
  return [
    ...(name ? dnsLabelErrors(name, `${path}.name`) : [required(`${path}.name`, "")]),
    ...(stringAt(container, "image") ? [] : [required(`${path}.image`, "")]),
    ...messagePolicyErrors(
      stringAt(container, "terminationMessagePolicy"),
      `${path}.terminationMessagePolicy`,
    ),
    ...portErrors(itemsAt(container, "ports"), `${path}.ports`),
    ...validateEnvironment(itemsAt(container, "env"), `${path}.env`),
    ...validateEnvironmentSources(itemsAt(container, "envFrom"), `${path}.envFrom`),
    ...validateMounts(container, volumes, `${path}.volumeMounts`),
    ...validateDevices(container, volumes, `${path}.volumeDevices`),
    ...pullPolicyErrors(stringAt(container, "imagePullPolicy"), `${path}.imagePullPolicy`),
    ...validateContainerResources(objectAt(container, "resources"), claims, `${path}.resources`),
    ...resizePolicyErrors(
      itemsAt(container, "resizePolicy"),
      stringAt(spec, "restartPolicy"),
      `${path}.resizePolicy`,
    ),
    ...validateContainerContext(
      mutableAt(container, "securityContext"),
      `${path}.securityContext`,
      { hostUsers: spec["hostUsers"] !== false },
    ),
  ];
}

function messagePolicyErrors(policy: string, path: string): FieldError[] {
  if (!policy) return [required(path, "")];
  return policy === "File" || policy === "FallbackToLogsOnError"
    ? []
    : [notSupported(path, policy, ["File", "FallbackToLogsOnError"])];
}

function behaviourErrors(container: JsonObject, spec: JsonObject, path: string): FieldError[] {
  const lifecycle = mutableAt(container, "lifecycle");
  const grace = optionalNumberAt(spec, "terminationGracePeriodSeconds");
  return [
    ...(lifecycle ? validateLifecycle(lifecycle, grace, `${path}.lifecycle`) : []),
    ...validateProbes(container, grace, path),
  ];
}

const protocols = ["SCTP", "TCP", "UDP"];

function portErrors(ports: readonly JsonObject[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const number = numberAt(port, "containerPort");
    const hostPort = numberAt(port, "hostPort");
    const protocol = stringAt(port, "protocol");
    return [
      ...namedPort(stringAt(port, "name"), names, `${path}[${i}].name`),
      ...(number === 0
        ? [required(`${path}[${i}].containerPort`, "")]
        : portNumberErrors(number, `${path}[${i}].containerPort`)),
      ...(hostPort === 0 ? [] : portNumberErrors(hostPort, `${path}[${i}].hostPort`)),
      ...(protocol
        ? protocols.includes(protocol)
          ? []
          : [notSupported(`${path}[${i}].protocol`, protocol, protocols)]
        : [required(`${path}[${i}].protocol`, "")]),
    ];
  });
}

function namedPort(name: string, names: Set<string>, path: string): FieldError[] {
  if (!name) return [];
  const errors = portNameErrors(name, path);
  if (errors.length) return errors;
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return [];
}

function hostPortConflicts(containers: readonly JsonObject[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    itemsAt(container, "ports").flatMap((port, j) => {
      const hostPort = numberAt(port, "hostPort");
      if (hostPort === 0) return [];
      const key = `${stringAt(port, "protocol")}/${stringAt(port, "hostIP")}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${path}[${i}].ports[${j}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function resizePolicyErrors(
  policies: readonly JsonObject[],
  podRestartPolicy: string,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return policies.flatMap((policy, i) => {
    const name = stringAt(policy, "resourceName");
    const restart = stringAt(policy, "restartPolicy");
    const repeated = names.has(name);
    names.add(name);
    return [
      ...(repeated ? [duplicate(`${path}[${i}]`, name)] : []),
      ...oneOf(name, ["cpu", "memory"], path),
      ...oneOf(restart, ["NotRequired", "RestartContainer"], path),
      ...(podRestartPolicy === "Never" && restart !== "NotRequired"
        ? [invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}

function oneOf(value: string, values: readonly string[], path: string): FieldError[] {
  if (!value) return [required(path, "")];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

/** A container's own restart policy and the rules that refine it. */
function restartErrors(container: JsonObject, path: string): FieldError[] {
  const policy = optionalTextAt(container, "restartPolicy");
  const rules = itemsAt(container, "restartPolicyRules");
  const errors: FieldError[] = [];
  if (policy === undefined) {
    if (!hasItems(container["restartPolicyRules"])) return [];
    errors.push(
      required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used"),
    );
  } else if (!["Always", "Never", "OnFailure"].includes(policy))
    errors.push(notSupported(`${path}.restartPolicy`, policy, ["Always", "Never", "OnFailure"]));
  if (rules.length > 20) errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, 20));
  return [
    ...errors,
    ...rules.flatMap((rule, i) => restartRuleErrors(rule, `${path}.restartPolicyRules[${i}]`)),
  ];
}

function restartRuleErrors(rule: JsonObject, path: string): FieldError[] {
  const action = stringAt(rule, "action");
  const codes = mutableAt(rule, "exitCodes");
  const errors =
    action === "Restart" || action === "RestartAllContainers"
      ? []
      : [notSupported(`${path}.action`, action, ["Restart", "RestartAllContainers"])];
  if (!codes) return [...errors, required(`${path}.exitCodes`, "must be specified")];
  const operator = stringAt(codes, "operator");
  const count = itemsAt(codes, "values").length;
  return [
    ...errors,
    ...(operator === "In" || operator === "NotIn"
      ? []
      : [notSupported(`${path}.exitCodes.operator`, operator, ["In", "NotIn"])]),
    ...(count > 255 ? [tooMany(`${path}.exitCodes.values`, count, 255)] : []),
  ];
}
