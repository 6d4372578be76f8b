// Validation of Windows pods: their security options, host processes, and the fields that the
// pod's operating system rules out.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (validateWindowsSecurityContextOptions, validateWindowsHostProcessPod, validateOS, validateLinux,
// validateWindows).
import type { Decoded } from "homeostat/api";
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  WindowsSecurityContextOptions,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import { visitContainers } from "../../containers/visit-containers.ts";
import { dnsSubdomainErrors } from "../../../../validation/field-rules.ts";

const specLimitKib = 64;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsDomain = new RegExp(`^${label}(?:\\.${label})*$`);

/** `windowsOptions` of a pod or a container. */
export function validateWindowsOptions(
  options: Decoded<WindowsSecurityContextOptions> | null | undefined,
  path: string,
): FieldError[] {
  if (!options) return [];
  const specName = options.gmsaCredentialSpecName ?? undefined;
  const spec = options.gmsaCredentialSpec ?? undefined;
  const user = options.runAsUserName ?? undefined;
  return [
    ...(specName === undefined
      ? []
      : dnsSubdomainErrors(specName, `${path}.gmsaCredentialSpecName`)),
    ...errorIf(spec === "", () =>
      fieldError.invalid(
        `${path}.gmsaCredentialSpec`,
        spec,
        "gmsaCredentialSpec cannot be an empty string",
      ),
    ),
    ...errorIf(spec !== undefined && Buffer.byteLength(spec) > specLimitKib * 1024, () =>
      fieldError.invalid(
        `${path}.gmsaCredentialSpec`,
        spec,
        `gmsaCredentialSpec size must be under ${specLimitKib} KiB`,
      ),
    ),
    ...(user === undefined
      ? []
      : userFaults(user).map((fault) => fieldError.invalid(`${path}.runAsUserName`, user, fault))),
  ];
}

function userFaults(name: string): string[] {
  if (!name) return ["runAsUserName cannot be an empty string"];
  if (/[\u0000-\u001f\u007f]/.test(name))
    return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  return [
    ...(domain !== undefined && Buffer.byteLength(domain) >= 256
      ? ["runAsUserName's Domain length must be under 256 characters"]
      : []),
    ...(domain !== undefined && !netBios.test(domain) && !dnsDomain.test(domain)
      ? ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]
      : []),
    ...(user ? [] : ["runAsUserName's User cannot be empty"]),
    ...(Buffer.byteLength(user) > 104
      ? ["runAsUserName's User length must not be longer than 104 characters"]
      : []),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
      : []),
  ];
}

/** A pod or a container, as far as Windows options go. */
type WindowsHolder = Decoded<{
  readonly securityContext?: Pick<SecurityContext, "windowsOptions">;
}>;

const hostProcessOf = ({ securityContext }: WindowsHolder): boolean | undefined =>
  securityContext?.windowsOptions?.hostProcess ?? undefined;

/** All containers run as host processes or none does, and they use the host's network. */
export function validateHostProcess(spec: Decoded<PodSpec>, path: string): FieldError[] {
  const ofPod = hostProcessOf(spec);
  const flags = visitContainers(spec, path, (container) => [hostProcessOf(container)]);
  const conflicts = visitContainers(spec, path, (container, at) => {
    const own = hostProcessOf(container);
    const differs = ofPod !== undefined && own !== undefined && ofPod !== own;
    return errorIf(differs, () =>
      fieldError.invalid(
        `${at}.securityContext.windowsOptions.hostProcess`,
        own,
        `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
      ),
    );
  });
  const count = flags.filter((own) => own ?? ofPod ?? false).length;
  if (!count) return conflicts;
  return [
    ...conflicts,
    ...errorIf(count !== flags.length, () =>
      fieldError.invalid(
        path,
        "",
        "If pod contains any hostProcess containers then all containers must be HostProcess containers",
      ),
    ),
    ...errorIf(spec.hostNetwork !== true, () =>
      fieldError.invalid(
        `${path}.hostNetwork`,
        false,
        "hostNetwork must be true if pod contains any hostProcess containers",
      ),
    ),
  ];
}

/** `os`, and the fields that the operating system rules out. */
export function validateOs(spec: Decoded<PodSpec>, path: string): FieldError[] {
  if (!spec.os) return [];
  const name = spec.os.name ?? "";
  if (!name) return [fieldError.required(`${path}.os.name`, "")];
  if (name === "linux") return linuxErrors(spec, path);
  return name === "windows"
    ? windowsErrors(spec, path)
    : [fieldError.notSupported(`${path}.os`, name, ["linux", "windows"])];
}

function linuxErrors(spec: Decoded<PodSpec>, path: string): FieldError[] {
  const errorsOf = (holder: WindowsHolder, at: string): FieldError[] =>
    errorIf(isSet(holder.securityContext?.windowsOptions), () =>
      fieldError.forbidden(
        `${at}.securityContext.windowsOptions`,
        "windows options cannot be set for a linux pod",
      ),
    );
  return [...errorsOf(spec, path), ...visitContainers(spec, path, errorsOf)];
}

const forbiddenInContainers = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const satisfies readonly (keyof SecurityContext)[];

function windowsErrors(spec: Decoded<PodSpec>, path: string): FieldError[] {
  const context = spec.securityContext ?? {};
  const inContext = (...names: (keyof PodSecurityContext)[]): string[] =>
    names.filter((name) => isSet(context[name])).map((name) => `${path}.securityContext.${name}`);
  const inSpec = (name: keyof PodSpec, isPresent: boolean): string[] =>
    isPresent ? [`${path}.${name}`] : [];
  const paths = [
    ...inContext("appArmorProfile", "seLinuxOptions"),
    ...inSpec("hostUsers", isSet(spec.hostUsers)),
    ...inSpec("hostPID", spec.hostPID === true),
    ...inSpec("hostIPC", spec.hostIPC === true),
    ...inContext("seccompProfile", "fsGroup", "fsGroupChangePolicy"),
    ...(context.sysctls?.length ? [`${path}.securityContext.sysctls`] : []),
    ...inSpec("shareProcessNamespace", isSet(spec.shareProcessNamespace)),
    ...inContext(
      "runAsUser",
      "runAsGroup",
      "supplementalGroups",
      "supplementalGroupsPolicy",
      "seLinuxChangePolicy",
    ),
    ...visitContainers(spec, path, (container, at) =>
      forbiddenInContainers
        .filter((name) => isSet(container.securityContext?.[name]))
        .map((name) => `${at}.securityContext.${name}`),
    ),
  ];
  return paths.map((at) => fieldError.forbidden(at, "cannot be set for a windows pod"));
}
