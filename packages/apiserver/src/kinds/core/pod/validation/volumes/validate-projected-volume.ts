// Validation of projected volumes: several sources in one directory, with distinct paths.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateProjectionSources).
import type { Decoded } from "homeostat/api";
import type {
  ConfigMapProjection,
  ProjectedVolumeSource,
  SecretProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  fileModeErrors,
  freePathErrors,
  requiredValid,
  tokenLifetimeErrors,
} from "../../../../validation/field-rules.ts";
import { keyToPathErrors } from "./validate-key-to-path.ts";
import { validateDownwardFile } from "./validate-downward-api.ts";

/** Validates the volume. */
export function validateProjected(
  volume: Decoded<ProjectedVolumeSource>,
  path: string,
): FieldError[] {
  const taken = new Set<string>();
  const take = (target: string, name: string): FieldError[] => {
    if (!target) return [];
    if (taken.has(target)) return [fieldError.invalid(path, name, "conflicting duplicate paths")];
    taken.add(target);
    return [];
  };
  return [
    ...fileModeErrors(volume.defaultMode ?? undefined, `${path}.defaultMode`),
    ...eachItem(volume.sources, `${path}.sources`, (source, at) =>
      validateSource(source, path, at, take),
    ),
  ];
}

type Take = (target: string, name: string) => FieldError[];

function validateSource(
  source: Decoded<VolumeProjection>,
  volumePath: string,
  path: string,
  take: Take,
): FieldError[] {
  const errors: FieldError[] = [];
  let sources = 0;
  for (const name of ["secret", "configMap"] as const) {
    const keys = source[name];
    if (!keys) continue;
    sources++;
    errors.push(...keyedErrors(keys, `${path}.${name}`, take));
  }
  const { downwardAPI: downward, serviceAccountToken: token } = source;
  if (downward) {
    sources++;
    errors.push(
      ...(downward.items ?? []).flatMap((file) => [
        ...validateDownwardFile(file, `${path}.downwardAPI`),
        ...take(file.path ?? "", file.path ?? ""),
      ]),
    );
  }
  if (token) {
    sources++;
    errors.push(...tokenErrors(token, volumePath, `${path}.serviceAccountToken`));
  }
  return sources > 1
    ? [...errors, fieldError.forbidden(path, "may not specify more than 1 volume type per source")]
    : errors;
}

function keyedErrors(
  source: Decoded<ConfigMapProjection | SecretProjection>,
  path: string,
  take: Take,
): FieldError[] {
  const name = source.name ?? "";
  const errors = errorIf(!name, () => fieldError.required(`${path}.name`, ""));
  return [
    ...errors,
    ...eachItem(source.items, `${path}.items`, (item, at) => [
      ...keyToPathErrors(item, at),
      ...take(item.path ?? "", name),
    ]),
  ];
}

function tokenErrors(
  token: Decoded<ServiceAccountTokenProjection>,
  volumePath: string,
  path: string,
): FieldError[] {
  const seconds = Number(token.expirationSeconds ?? 0);
  const target = token.path ?? "";
  return [
    ...tokenLifetimeErrors(seconds, `${path}.expirationSeconds`),
    ...requiredValid(freePathErrors, target, `${volumePath}.path`),
  ];
}
