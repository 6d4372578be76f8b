// Where containers mount volumes and open devices.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateVolumeMounts,
// ValidateVolumeDevices). Some checks of a mount are reported at the list; that is what clients
// see.
import { isObject, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  itemsAt,
  optionalTextAt,
  objectAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import { backstepErrors, descendingPathErrors } from "../../../../validation/field-rules.ts";

/** Valid volumes of the pod by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

/** `volumeMounts`. */
export function validateMounts(
  container: JsonObject,
  volumes: Volumes,
  path: string,
): FieldError[] {
  const devices = pathsByName(itemsAt(container, "volumeDevices"), "devicePath");
  const taken = new Set<string>();
  return itemsAt(container, "volumeMounts").flatMap((mount, i) => {
    const name = stringAt(mount, "name");
    const target = stringAt(mount, "mountPath");
    const repeated = taken.has(target);
    taken.add(target);
    return [
      ...(name ? [] : [required(`${path}[${i}].name`, "")]),
      ...(volumes.has(name) ? [] : [notFound(`${path}[${i}].name`, name)]),
      ...(target ? [] : [required(`${path}[${i}].mountPath`, "")]),
      ...(repeated ? [invalid(`${path}[${i}].mountPath`, target, "must be unique")] : []),
      ...(devices.has(name)
        ? [invalid(`${path}[${i}].name`, name, "must not already exist in volumeDevices")]
        : []),
      ...([...devices.values()].includes(target)
        ? [
            invalid(
              `${path}[${i}].mountPath`,
              target,
              "must not already exist as a path in volumeDevices",
            ),
          ]
        : []),
      ...subPathErrors(mount, path, i),
      ...propagationErrors(
        optionalTextAt(mount, "mountPropagation"),
        container,
        `${path}.mountPropagation`,
      ),
      ...recursionErrors(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

const pathsByName = (list: readonly JsonObject[], field: string): ReadonlyMap<string, string> =>
  new Map(list.map((item) => [stringAt(item, "name"), stringAt(item, field)]));

function subPathErrors(mount: JsonObject, path: string, i: number): FieldError[] {
  const plain = stringAt(mount, "subPath");
  const expression = stringAt(mount, "subPathExpr");
  return [
    ...(plain ? descendingPathErrors(plain, `${path}.subPath`) : []),
    ...(expression && plain
      ? [
          invalid(
            `${path}[${i}].subPathExpr`,
            expression,
            "subPathExpr and subPath are mutually exclusive",
          ),
        ]
      : []),
    ...(expression ? descendingPathErrors(expression, `${path}.subPathExpr`) : []),
  ];
}

function propagationErrors(
  propagation: string | undefined,
  container: JsonObject,
  path: string,
): FieldError[] {
  if (propagation === undefined) return [];
  const modes = ["Bidirectional", "HostToContainer", "None"];
  const isPrivileged = objectAt(container, "securityContext")["privileged"] === true;
  return [
    ...(modes.includes(propagation) ? [] : [notSupported(path, propagation, modes)]),
    ...(propagation === "Bidirectional" && !isPrivileged
      ? [
          forbidden(
            path,
            "Bidirectional mount propagation is available only to privileged containers",
          ),
        ]
      : []),
  ];
}

function recursionErrors(mount: JsonObject, path: string): FieldError[] {
  const mode = optionalTextAt(mount, "recursiveReadOnly");
  if (mode === undefined || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible")
    return [notSupported(path, mode, ["Disabled", "Enabled", "IfPossible"])];
  const propagation = optionalTextAt(mount, "mountPropagation");
  return [
    ...(mount["readOnly"] === true
      ? []
      : [forbidden(path, "may only be specified when readOnly is true")]),
    ...(propagation !== undefined && propagation !== "None"
      ? [forbidden(path, "may only be specified when mountPropagation is None or not specified")]
      : []),
  ];
}

/** `volumeDevices`. */
export function validateDevices(
  container: JsonObject,
  volumes: Volumes,
  path: string,
): FieldError[] {
  const mounts = pathsByName(itemsAt(container, "volumeMounts"), "mountPath");
  const names = new Set<string>();
  const targets = new Set<string>();
  return itemsAt(container, "volumeDevices").flatMap((device, i) => {
    const name = stringAt(device, "name");
    const target = stringAt(device, "devicePath");
    const volume = volumes.get(name);
    const isBlock =
      volume !== undefined &&
      (isObject(volume["persistentVolumeClaim"]) || isObject(volume["ephemeral"]));
    const backsteps = backstepErrors(target, "").length > 0;
    const errors = [
      ...(name ? [] : [required(`${path}[${i}].name`, "")]),
      ...(names.has(name) ? [invalid(`${path}[${i}].name`, name, "must be unique")] : []),
      ...(volume && !isBlock
        ? [
            invalid(
              `${path}[${i}].name`,
              name,
              "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
          ]
        : []),
      ...(volume ? [] : [notFound(`${path}[${i}].name`, name)]),
      ...(target ? [] : [required(`${path}[${i}].devicePath`, "")]),
      ...(targets.has(target)
        ? [invalid(`${path}[${i}].devicePath`, target, "must be unique")]
        : []),
      ...(backsteps
        ? [invalid(`${path}[${i}].devicePath`, target, "can not contain backsteps ('..')")]
        : []),
      ...(mounts.has(name)
        ? [invalid(`${path}[${i}].name`, name, "must not already exist in volumeMounts")]
        : []),
      ...([...mounts.values()].includes(target)
        ? [
            invalid(
              `${path}[${i}].devicePath`,
              target,
              "must not already exist as a path in volumeMounts",
            ),
          ]
        : []),
    ];
    if (!backsteps) targets.add(target);
    if (name) names.add(name);
    return errors;
  });
}
