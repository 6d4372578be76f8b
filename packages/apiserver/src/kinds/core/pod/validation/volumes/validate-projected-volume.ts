// Projected volumes: several sources in one directory, with paths that must not meet.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateProjectionSources).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  required,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import { fileModeErrors, freePathErrors } from "../../../../validation/field-rules.ts";
import { keyToPathErrors } from "./validate-key-to-path.ts";
import { validateDownwardFile } from "./validate-downward-api.ts";

const longest = 2 ** 32;

/** The whole volume. */
export function validateProjected(volume: JsonObject, path: string): FieldError[] {
  const taken = new Set<string>();
  const take = (target: string, name: string): FieldError[] => {
    if (!target) return [];
    if (taken.has(target)) return [invalid(path, name, "conflicting duplicate paths")];
    taken.add(target);
    return [];
  };
  return [
    ...fileModeErrors(optionalNumberAt(volume, "defaultMode"), `${path}.defaultMode`),
    ...itemsAt(volume, "sources").flatMap((source, i) =>
      validateSource(source, path, `${path}.sources[${i}]`, take),
    ),
  ];
}

type Take = (target: string, name: string) => FieldError[];

function validateSource(
  source: JsonObject,
  volumePath: string,
  path: string,
  take: Take,
): FieldError[] {
  const errors: FieldError[] = [];
  let sources = 0;
  for (const name of ["secret", "configMap"]) {
    const keys = mutableAt(source, name);
    if (!keys) continue;
    sources++;
    errors.push(...keyedErrors(keys, `${path}.${name}`, take));
  }
  const downward = mutableAt(source, "downwardAPI");
  if (downward) {
    sources++;
    errors.push(
      ...itemsAt(downward, "items").flatMap((file) => [
        ...validateDownwardFile(file, `${path}.downwardAPI`),
        ...take(stringAt(file, "path"), stringAt(file, "path")),
      ]),
    );
  }
  const token = mutableAt(source, "serviceAccountToken");
  if (token) {
    sources++;
    errors.push(...tokenErrors(token, volumePath, `${path}.serviceAccountToken`));
  }
  return sources > 1
    ? [...errors, forbidden(path, "may not specify more than 1 volume type per source")]
    : errors;
}

function keyedErrors(source: JsonObject, path: string, take: Take): FieldError[] {
  const name = stringAt(source, "name");
  const errors = name ? [] : [required(`${path}.name`, "")];
  return [
    ...errors,
    ...itemsAt(source, "items").flatMap((item, i) => [
      ...keyToPathErrors(item, `${path}.items[${i}]`),
      ...take(stringAt(item, "path"), name),
    ]),
  ];
}

function tokenErrors(token: JsonObject, volumePath: string, path: string): FieldError[] {
  const seconds = numberAt(token, "expirationSeconds");
  const target = stringAt(token, "path");
  return [
    ...(seconds < 600
      ? [
          invalid(
            `${path}.expirationSeconds`,
            seconds,
            "may not specify a duration less than 10 minutes",
          ),
        ]
      : []),
    ...(seconds > longest
      ? [
          invalid(
            `${path}.expirationSeconds`,
            seconds,
            "may not specify a duration larger than 2^32 seconds",
          ),
        ]
      : []),
    ...(target
      ? freePathErrors(target, `${volumePath}.path`)
      : [required(`${volumePath}.path`, "")]),
  ];
}
