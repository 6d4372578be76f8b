// Security contexts of pods and containers.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateSecurityContext,
// validatePodSpecSecurityContext, validateSysctls), pkg/apis/core/types.go (order of fields in
// messages).
import type { JsonObject } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  type InternalValue,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../../registry/field-error.ts";
import {
  itemsAt,
  mutableAt,
  optionalNumberAt,
  optionalTextAt,
  textsAt,
} from "../../object/read-fields.ts";
import { stringAt } from "../../object/strategy.ts";
import { unixIdErrors } from "./field-rules.ts";
import type { PodRules } from "./pod-rules.ts";
import { validateAppArmorProfile } from "./validate-app-armor.ts";
import { validateSeccompProfile } from "./validate-seccomp.ts";
import { validateWindowsOptions } from "./validate-windows.ts";

/** `hostUsers`: whether the pod shares the host's user namespace. */
export function validateContainerContext(
  context: JsonObject | undefined,
  path: string,
  { hostUsers }: { readonly hostUsers: boolean },
): FieldError[] {
  if (!context) return [];
  return [
    ...idErrors(context, ["runAsUser", "runAsGroup"], path),
    ...procMountErrors(optionalTextAt(context, "procMount"), `${path}.procMount`, hostUsers),
    ...validateSeccompProfile(mutableAt(context, "seccompProfile"), `${path}.seccompProfile`),
    ...escalationErrors(context, path),
    ...validateWindowsOptions(mutableAt(context, "windowsOptions"), `${path}.windowsOptions`),
    ...validateAppArmorProfile(mutableAt(context, "appArmorProfile"), `${path}.appArmorProfile`),
  ];
}

function idErrors(context: JsonObject, names: readonly string[], path: string): FieldError[] {
  return names.flatMap((name) => {
    const id = optionalNumberAt(context, name);
    return id === undefined ? [] : unixIdErrors(id, `${path}.${name}`);
  });
}

function procMountErrors(
  mount: string | undefined,
  path: string,
  hostUsers: boolean,
): FieldError[] {
  if (mount === undefined) return [];
  return [
    ...(mount === "Default" || mount === "Unmasked"
      ? []
      : [notSupported(path, mount, ["Default", "Unmasked"])]),
    ...(hostUsers && mount === "Unmasked"
      ? [invalid(path, mount, "`hostUsers` must be false to use `Unmasked`")]
      : []),
  ];
}

function escalationErrors(context: JsonObject, path: string): FieldError[] {
  if (context["allowPrivilegeEscalation"] !== false) return [];
  const shown: InternalValue = ["core.SecurityContext", context];
  const admins = textsAt(mutableAt(context, "capabilities") ?? {}, "add").filter(
    (name) => name === "CAP_SYS_ADMIN",
  );
  return [
    ...(context["privileged"] === true
      ? [
          invalidInternal(
            path,
            shown,
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
          ),
        ]
      : []),
    ...admins.map(() =>
      invalidInternal(
        path,
        shown,
        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
      ),
    ),
  ];
}

/** The context of the pod; some of what upstream keeps in it stands in the spec itself. */
export function validatePodContext(
  spec: JsonObject,
  path: string,
  { anySelinuxChangePolicy }: PodRules,
): FieldError[] {
  const context = mutableAt(spec, "securityContext");
  if (!context) return [];
  const oneOf = (name: string, values: readonly string[]): FieldError[] => {
    const value = optionalTextAt(context, name);
    return value === undefined || values.includes(value)
      ? []
      : [notSupported(`${path}.${name}`, value, values)];
  };
  return [
    ...idErrors(context, ["fsGroup", "runAsUser", "runAsGroup"], path),
    ...(Array.isArray(context["supplementalGroups"])
      ? context["supplementalGroups"].flatMap((id, i) =>
          unixIdErrors(Number(id), `${path}.supplementalGroups[${i}]`),
        )
      : []),
    ...(spec["shareProcessNamespace"] === true && spec["hostPID"] === true
      ? [
          invalid(
            `${path}.shareProcessNamespace`,
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : []),
    ...sysctlErrors(itemsAt(context, "sysctls"), spec, `${path}.sysctls`),
    ...oneOf("fsGroupChangePolicy", ["Always", "OnRootMismatch"]),
    ...validateSeccompProfile(mutableAt(context, "seccompProfile"), `${path}.seccompProfile`),
    ...validateWindowsOptions(mutableAt(context, "windowsOptions"), `${path}.windowsOptions`),
    ...validateAppArmorProfile(mutableAt(context, "appArmorProfile"), `${path}.appArmorProfile`),
    ...oneOf("supplementalGroupsPolicy", ["Merge", "Strict"]),
    ...oneOf(
      "seLinuxChangePolicy",
      anySelinuxChangePolicy ? ["MountOption", "Recursive"] : ["Recursive"],
    ),
  ];
}

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlFormat = `^(${segment}[\\./])*${segment}$`;
const sysctlName = new RegExp(sysctlFormat);

function sysctlErrors(
  sysctls: readonly JsonObject[],
  spec: JsonObject,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap((sysctl, i) => {
    const name = stringAt(sysctl, "name");
    const errors = [
      ...sysctlNameErrors(name, names, `${path}[${i}].name`),
      ...hostSysctlErrors(name, spec, `${path}[${i}].name`),
    ];
    names.add(name);
    return errors;
  });
}

function sysctlNameErrors(name: string, names: ReadonlySet<string>, path: string): FieldError[] {
  if (!name) return [required(path, "")];
  if (Buffer.byteLength(name) > 253 || !sysctlName.test(name))
    return [
      invalid(path, name, `must have at most 253 characters and match regex ${sysctlFormat}`),
    ];
  return names.has(name) ? [duplicate(path, name)] : [];
}

const ipcSysctls = ["kernel/sem", "kernel/shm", "kernel/msg", "fs/mqueue/"];

/**
 * Namespaced settings belong to the host where its namespace is shared. Names are given with dots
 * or with slashes.
 */
function hostSysctlErrors(name: string, spec: JsonObject, path: string): FieldError[] {
  const firstSeparator = /[./]/.exec(name)?.[0];
  const key = firstSeparator === "." ? name.replace(/[./]/g, (c) => (c === "." ? "/" : ".")) : name;
  if (spec["hostNetwork"] === true && key.startsWith("net/"))
    return [invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  return spec["hostIPC"] === true && ipcSysctls.some((prefix) => key.startsWith(prefix))
    ? [invalid(path, name, "may not be specified when 'hostIPC' is true")]
    : [];
}
