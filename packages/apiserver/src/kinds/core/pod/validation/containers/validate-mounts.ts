// Validation of volumeMounts and volumeDevices.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateVolumeMounts,
// ValidateVolumeDevices). Upstream reports some errors of a mount at the list.
import type { Decoded } from "homeostat/api";
import type { Container, VolumeMount } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
} from "../../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import type { Volumes } from "../volumes/validate-volumes.ts";
import { backstepErrors, descendingPathErrors } from "../../../../validation/field-rules.ts";

/** `volumeMounts`. */
export function validateMounts(
  container: Decoded<Container>,
  volumes: Volumes,
  path: string,
): FieldError[] {
  const devices = targetsOf(container.volumeDevices, ({ devicePath }) => devicePath);
  const taken = new Set<string>();
  return eachItem(container.volumeMounts, path, (mount, at, i) => {
    const name = mount.name ?? "";
    const target = mount.mountPath ?? "";
    const repeated = taken.has(target);
    taken.add(target);
    return [
      ...errorIf(!name, () => fieldError.required(`${at}.name`, "")),
      ...errorIf(!volumes.has(name), () => fieldError.notFound(`${at}.name`, name)),
      ...errorIf(!target, () => fieldError.required(`${at}.mountPath`, "")),
      ...errorIf(repeated, () => fieldError.invalid(`${at}.mountPath`, target, "must be unique")),
      ...conflictErrors(
        [name, target],
        [`${at}.name`, `${at}.mountPath`],
        "volumeDevices",
        devices,
      ),
      ...subPathErrors(mount, path, i),
      ...propagationErrors(
        mount.mountPropagation ?? undefined,
        container,
        `${path}.mountPropagation`,
      ),
      ...recursionErrors(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

/** Targets by volume name. */
const targetsOf = <T extends { name?: string | null }>(
  list: readonly T[] | null | undefined,
  targetOf: (item: T) => string | null | undefined,
): ReadonlyMap<string, string> =>
  new Map((list ?? []).map((item) => [item.name ?? "", targetOf(item) ?? ""]));

/** A name and a target, or the paths of both. */
type Place = readonly [name: string, target: string];

/** A volume is mounted or opened as a device: neither name nor target may be in the other list. */
function conflictErrors(
  [name, target]: Place,
  [namePath, targetPath]: Place,
  list: "volumeMounts" | "volumeDevices",
  others: ReadonlyMap<string, string>,
): FieldError[] {
  return [
    ...errorIf(others.has(name), () =>
      fieldError.invalid(namePath, name, `must not already exist in ${list}`),
    ),
    ...errorIf([...others.values()].includes(target), () =>
      fieldError.invalid(targetPath, target, `must not already exist as a path in ${list}`),
    ),
  ];
}

function subPathErrors(mount: Decoded<VolumeMount>, path: string, i: number): FieldError[] {
  const plain = mount.subPath ?? "";
  const expression = mount.subPathExpr ?? "";
  return [
    ...(plain ? descendingPathErrors(plain, `${path}.subPath`) : []),
    ...errorIf(expression && plain, () =>
      fieldError.invalid(
        `${path}[${i}].subPathExpr`,
        expression,
        "subPathExpr and subPath are mutually exclusive",
      ),
    ),
    ...(expression ? descendingPathErrors(expression, `${path}.subPathExpr`) : []),
  ];
}

function propagationErrors(
  propagation: string | undefined,
  container: Decoded<Container>,
  path: string,
): FieldError[] {
  if (propagation === undefined) return [];
  const modes = ["Bidirectional", "HostToContainer", "None"];
  const isPrivileged = container.securityContext?.privileged === true;
  return [
    ...errorIf(!modes.includes(propagation), () =>
      fieldError.notSupported(path, propagation, modes),
    ),
    ...errorIf(propagation === "Bidirectional" && !isPrivileged, () =>
      fieldError.forbidden(
        path,
        "Bidirectional mount propagation is available only to privileged containers",
      ),
    ),
  ];
}

function recursionErrors(mount: Decoded<VolumeMount>, path: string): FieldError[] {
  const mode = mount.recursiveReadOnly ?? undefined;
  if (mode === undefined || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible")
    return [fieldError.notSupported(path, mode, ["Disabled", "Enabled", "IfPossible"])];
  const propagation = mount.mountPropagation ?? undefined;
  return [
    ...errorIf(mount.readOnly !== true, () =>
      fieldError.forbidden(path, "may only be specified when readOnly is true"),
    ),
    ...errorIf(propagation !== undefined && propagation !== "None", () =>
      fieldError.forbidden(
        path,
        "may only be specified when mountPropagation is None or not specified",
      ),
    ),
  ];
}

const notBlock =
  "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";

/** `volumeDevices`. */
export function validateDevices(
  { volumeDevices, volumeMounts }: Decoded<Container>,
  volumes: Volumes,
  path: string,
): FieldError[] {
  const mounts = targetsOf(volumeMounts, ({ mountPath }) => mountPath);
  const names = new Set<string>();
  const targets = new Set<string>();
  return eachItem(volumeDevices, path, (device, at) => {
    const name = device.name ?? "";
    const target = device.devicePath ?? "";
    const volume = volumes.get(name);
    const isBlock = isSet(volume?.persistentVolumeClaim) || isSet(volume?.ephemeral);
    const backsteps = backstepErrors(target, "").length > 0;
    const errors = [
      ...errorIf(!name, () => fieldError.required(`${at}.name`, "")),
      ...errorIf(names.has(name), () => fieldError.invalid(`${at}.name`, name, "must be unique")),
      ...errorIf(volume && !isBlock, () => fieldError.invalid(`${at}.name`, name, notBlock)),
      ...errorIf(!volume, () => fieldError.notFound(`${at}.name`, name)),
      ...errorIf(!target, () => fieldError.required(`${at}.devicePath`, "")),
      ...errorIf(targets.has(target), () =>
        fieldError.invalid(`${at}.devicePath`, target, "must be unique"),
      ),
      ...errorIf(backsteps, () =>
        fieldError.invalid(`${at}.devicePath`, target, "can not contain backsteps ('..')"),
      ),
      ...conflictErrors([name, target], [`${at}.name`, `${at}.devicePath`], "volumeMounts", mounts),
    ];
    if (!backsteps) targets.add(target);
    if (name) names.add(name);
    return errors;
  });
}
