// Validation of the security contexts of pods and containers.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateSecurityContext,
// validatePodSpecSecurityContext, validateSysctls), pkg/apis/core/types.go (order of fields in
// messages).
import type { Decoded } from "homeostat/api";
import type { PodSpec, SecurityContext, Sysctl } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  type InternalValue,
} from "../../../../../apimachinery/errors/field-error.ts";
import { optionalInt64 } from "../../../../../apimachinery/meta/read-fields.ts";
import { createUniqueRule, unixIdErrors } from "../../../../validation/field-rules.ts";
import type { PodValidationOptions } from "../options/pod-validation-options.ts";
import { validateAppArmorProfile } from "./validate-app-armor.ts";
import { validateSeccompProfile } from "./validate-seccomp.ts";
import { validateWindowsOptions } from "./validate-windows.ts";

/** `hostUsers` is true when the pod shares the user namespace of the host. */
export function validateContainerContext(
  context: Decoded<SecurityContext> | null | undefined,
  path: string,
  { hostUsers }: { readonly hostUsers: boolean },
): FieldError[] {
  if (!context) return [];
  return [
    ...idErrors(context, ["runAsUser", "runAsGroup"], path),
    ...procMountErrors(context.procMount ?? undefined, `${path}.procMount`, hostUsers),
    ...validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`),
    ...escalationErrors(context, path),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

type IdField = "fsGroup" | "runAsUser" | "runAsGroup";

function idErrors<F extends IdField>(
  context: { readonly [P in F]?: number | null },
  names: readonly F[],
  path: string,
): FieldError[] {
  return names.flatMap((name) => {
    const id = optionalInt64(context[name]);
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
    ...errorIf(mount !== "Default" && mount !== "Unmasked", () =>
      fieldError.notSupported(path, mount, ["Default", "Unmasked"]),
    ),
    ...errorIf(hostUsers && mount === "Unmasked", () =>
      fieldError.invalid(path, mount, "`hostUsers` must be false to use `Unmasked`"),
    ),
  ];
}

function escalationErrors(context: Decoded<SecurityContext>, path: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const shown: InternalValue = ["core.SecurityContext", context];
  const admins = (context.capabilities?.add ?? []).filter((name) => name === "CAP_SYS_ADMIN");
  return [
    ...errorIf(context.privileged === true, () =>
      fieldError.invalidInternal(
        path,
        shown,
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
      ),
    ),
    ...admins.map(() =>
      fieldError.invalidInternal(
        path,
        shown,
        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
      ),
    ),
  ];
}

/** Validates the context of the pod; parts of upstream's internal one are fields of the spec. */
export function validatePodContext(
  spec: Decoded<PodSpec>,
  path: string,
  { anySelinuxChangePolicy }: PodValidationOptions,
): FieldError[] {
  const context = spec.securityContext;
  if (!context) return [];
  const oneOf = (
    name: "fsGroupChangePolicy" | "seLinuxChangePolicy" | "supplementalGroupsPolicy",
    values: readonly string[],
  ): FieldError[] => {
    const value = context[name] ?? undefined;
    return errorIf(value !== undefined && !values.includes(value), () =>
      fieldError.notSupported(`${path}.${name}`, value, values),
    );
  };
  return [
    ...idErrors(context, ["fsGroup", "runAsUser", "runAsGroup"], path),
    ...eachItem(context.supplementalGroups, `${path}.supplementalGroups`, (id, at) =>
      unixIdErrors(Number(id), at),
    ),
    ...errorIf(spec.shareProcessNamespace === true && spec.hostPID === true, () =>
      fieldError.invalid(
        `${path}.shareProcessNamespace`,
        true,
        "ShareProcessNamespace and HostPID cannot both be enabled",
      ),
    ),
    ...sysctlErrors(context.sysctls ?? [], spec, `${path}.sysctls`),
    ...oneOf("fsGroupChangePolicy", ["Always", "OnRootMismatch"]),
    ...validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`),
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
  sysctls: readonly Decoded<Sysctl>[],
  spec: Decoded<PodSpec>,
  path: string,
): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(sysctls, path, (sysctl, at) => {
    const name = sysctl.name ?? "";
    const repeated = unique(name, `${at}.name`);
    return [
      ...(isSysctlName(name) ? repeated : sysctlNameErrors(name, `${at}.name`)),
      ...hostSysctlErrors(name, spec, `${at}.name`),
    ];
  });
}

const isSysctlName = (name: string): boolean =>
  Buffer.byteLength(name) <= 253 && sysctlName.test(name);

function sysctlNameErrors(name: string, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  return [
    fieldError.invalid(
      path,
      name,
      `must have at most 253 characters and match regex ${sysctlFormat}`,
    ),
  ];
}

const ipcSysctls = ["kernel/sem", "kernel/shm", "kernel/msg", "fs/mqueue/"];

/**
 * A pod that shares a namespace of the host may not change its sysctls. Names are written with dots
 * or with slashes.
 */
function hostSysctlErrors(name: string, spec: Decoded<PodSpec>, path: string): FieldError[] {
  const firstSeparator = /[./]/.exec(name)?.[0];
  const key = firstSeparator === "." ? name.replace(/[./]/g, (c) => (c === "." ? "/" : ".")) : name;
  if (spec.hostNetwork === true && key.startsWith("net/"))
    return [fieldError.invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  return errorIf(spec.hostIPC === true && ipcSysctls.some((prefix) => key.startsWith(prefix)), () =>
    fieldError.invalid(path, name, "may not be specified when 'hostIPC' is true"),
  );
}
