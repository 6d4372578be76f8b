// Windows pods: their own security options, host processes, and what belongs to the other operating
// system.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (validateWindowsSecurityContextOptions, validateWindowsHostProcessPod, validateOS, validateLinux,
// validateWindows).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  isSet,
  mutableAt,
  optionalTextAt,
  objectAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import { visitContainers } from "../../visit-containers.ts";
import { dnsSubdomainErrors } from "../../../../validation/field-rules.ts";

const specLimitKib = 64;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsDomain = new RegExp(`^${label}(?:\\.${label})*$`);

/** `windowsOptions` of a pod or a container. */
export function validateWindowsOptions(
  options: JsonObject | undefined,
  path: string,
): FieldError[] {
  if (!options) return [];
  const specName = optionalTextAt(options, "gmsaCredentialSpecName");
  const spec = optionalTextAt(options, "gmsaCredentialSpec");
  const user = optionalTextAt(options, "runAsUserName");
  return [
    ...(specName === undefined
      ? []
      : dnsSubdomainErrors(specName, `${path}.gmsaCredentialSpecName`)),
    ...(spec === ""
      ? [
          invalid(
            `${path}.gmsaCredentialSpec`,
            spec,
            "gmsaCredentialSpec cannot be an empty string",
          ),
        ]
      : []),
    ...(spec !== undefined && Buffer.byteLength(spec) > specLimitKib * 1024
      ? [
          invalid(
            `${path}.gmsaCredentialSpec`,
            spec,
            `gmsaCredentialSpec size must be under ${specLimitKib} KiB`,
          ),
        ]
      : []),
    ...(user === undefined
      ? []
      : userFaults(user).map((fault) => invalid(`${path}.runAsUserName`, user, fault))),
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
    ...(user
      ? Buffer.byteLength(user) > 104
        ? ["runAsUserName's User length must not be longer than 104 characters"]
        : []
      : ["runAsUserName's User cannot be empty"]),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
      : []),
  ];
}

const hostProcessOf = (holder: JsonObject): boolean | undefined => {
  const value = objectAt(objectAt(holder, "securityContext"), "windowsOptions")["hostProcess"];
  return typeof value === "boolean" ? value : undefined;
};

/** Host process containers: all or none, and on the host's network. */
export function validateHostProcess(spec: JsonObject, path: string): FieldError[] {
  const ofPod = hostProcessOf(spec);
  const flags = visitContainers(spec, path, (container) => [hostProcessOf(container)]);
  const conflicts = visitContainers(spec, path, (container, at) => {
    const own = hostProcessOf(container);
    const differs = ofPod !== undefined && own !== undefined && ofPod !== own;
    return differs
      ? [
          invalid(
            `${at}.securityContext.windowsOptions.hostProcess`,
            own,
            `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
          ),
        ]
      : [];
  });
  const count = flags.filter((own) => own ?? ofPod ?? false).length;
  if (!count) return conflicts;
  return [
    ...conflicts,
    ...(count === flags.length
      ? []
      : [
          invalid(
            path,
            "",
            "If pod contains any hostProcess containers then all containers must be HostProcess containers",
          ),
        ]),
    ...(spec["hostNetwork"] === true
      ? []
      : [
          invalid(
            `${path}.hostNetwork`,
            false,
            "hostNetwork must be true if pod contains any hostProcess containers",
          ),
        ]),
  ];
}

/** `os`, and what the named system rules out. */
export function validateOs(spec: JsonObject, path: string): FieldError[] {
  const os = mutableAt(spec, "os");
  if (!os) return [];
  const name = stringAt(os, "name");
  if (!name) return [required(`${path}.os.name`, "")];
  if (name === "linux") return linuxErrors(spec, path);
  return name === "windows"
    ? windowsErrors(spec, path)
    : [notSupported(`${path}.os`, name, ["linux", "windows"])];
}

function linuxErrors(spec: JsonObject, path: string): FieldError[] {
  const errorsOf = (holder: JsonObject, at: string): FieldError[] =>
    isSet(objectAt(holder, "securityContext")["windowsOptions"])
      ? [
          forbidden(
            `${at}.securityContext.windowsOptions`,
            "windows options cannot be set for a linux pod",
          ),
        ]
      : [];
  return [...errorsOf(spec, path), ...visitContainers(spec, path, errorsOf)];
}

const podOnly = ["fsGroup", "fsGroupChangePolicy", "sysctls"];
const containerOnly = [
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
];

function windowsErrors(spec: JsonObject, path: string): FieldError[] {
  const context = objectAt(spec, "securityContext");
  const present = (holder: JsonObject, names: readonly string[]): readonly string[] =>
    names.filter((name) =>
      name === "sysctls"
        ? hasItems(holder[name])
        : name.startsWith("host") && name !== "hostUsers"
          ? holder[name] === true
          : isSet(holder[name]),
    );
  const inContext = (names: readonly string[]): readonly string[] =>
    present(context, names).map((name) => `${path}.securityContext.${name}`);
  const inSpec = (names: readonly string[]): readonly string[] =>
    present(spec, names).map((name) => `${path}.${name}`);
  const paths = [
    ...inContext(["appArmorProfile", "seLinuxOptions"]),
    ...inSpec(["hostUsers", "hostPID", "hostIPC"]),
    ...inContext(["seccompProfile", ...podOnly]),
    ...inSpec(["shareProcessNamespace"]),
    ...inContext([
      "runAsUser",
      "runAsGroup",
      "supplementalGroups",
      "supplementalGroupsPolicy",
      "seLinuxChangePolicy",
    ]),
    ...visitContainers(spec, path, (container, at) =>
      present(objectAt(container, "securityContext"), containerOnly).map(
        (name) => `${at}.securityContext.${name}`,
      ),
    ),
  ];
  return paths.map((at) => forbidden(at, "cannot be set for a windows pod"));
}
