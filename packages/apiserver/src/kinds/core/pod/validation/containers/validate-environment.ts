// Validation of the environment variables of containers and of their sources.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateEnv,
// ValidateEnvFrom).
import type { Decoded } from "homeostat/api";
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  SecretKeySelector,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
} from "../../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import { configMapKeyFaults } from "../../../../validation/names.ts";
import {
  backstepErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  environmentNameFaults,
  ruled,
  optionalValid,
  requiredValid,
} from "../../../../validation/field-rules.ts";
import { validateFieldRef, validateResourceFieldRef } from "../volumes/validate-downward-api.ts";

const environmentNameErrors = (name: string, path: string): FieldError[] =>
  ruled(environmentNameFaults, name, path);

/** An item of `env`. */
export function validateVariable(variable: Decoded<EnvVar>, path: string): FieldError[] {
  const { name, value, valueFrom } = variable;
  return [
    ...requiredValid(environmentNameErrors, name, `${path}.name`),
    ...(valueFrom ? sourceErrors(valueFrom, value ?? "", `${path}.valueFrom`) : []),
  ];
}

function sourceErrors(source: Decoded<EnvVarSource>, value: string, path: string): FieldError[] {
  const { configMapKeyRef, fieldRef, fileKeyRef, resourceFieldRef, secretKeyRef } = source;
  const found = Object.values(source).filter(isSet).length;
  const errors = [
    ...(fieldRef ? validateFieldRef(fieldRef, "environment", `${path}.fieldRef`) : []),
    ...(resourceFieldRef
      ? validateResourceFieldRef(resourceFieldRef, "environment", `${path}.resourceFieldRef`)
      : []),
    ...(configMapKeyRef ? keyErrors(configMapKeyRef, `${path}.configMapKeyRef`) : []),
    ...(secretKeyRef ? keyErrors(secretKeyRef, `${path}.secretKeyRef`) : []),
    ...(fileKeyRef ? fileErrors(fileKeyRef, `${path}.fileKeyRef`) : []),
  ];
  if (!found)
    errors.push(
      fieldError.invalid(
        path,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  else if (value)
    errors.push(fieldError.invalid(path, "", "may not be specified when `value` is not empty"));
  else if (found > 1)
    errors.push(
      fieldError.invalid(path, "", "may not have more than one field specified at a time"),
    );
  return errors;
}

function keyErrors(
  source: Decoded<ConfigMapKeySelector | SecretKeySelector>,
  path: string,
): FieldError[] {
  const key = source.key ?? "";
  return [
    ...dnsSubdomainErrors(source.name ?? "", `${path}.name`),
    ...(key
      ? ruled(configMapKeyFaults, key, `${path}.key`)
      : [fieldError.required(`${path}.key`, "")]),
  ];
}

function fileErrors(source: Decoded<FileKeySelector>, path: string): FieldError[] {
  return [
    ...requiredValid(environmentNameErrors, source.key, `${path}.key`),
    ...requiredValid(dnsLabelErrors, source.volumeName, `${path}.volumeName`),
    ...requiredValid(backstepErrors, source.path, `${path}.path`),
  ];
}

/** `envFrom`. The count of sources is reported at the list, not at the item. */
export function validateEnvironmentSources(
  sources: readonly Decoded<EnvFromSource>[],
  path: string,
): FieldError[] {
  return eachItem(sources, path, (source, at) => {
    const found = (["configMapRef", "secretRef"] as const).filter((name) => source[name]);
    return [
      ...optionalValid(environmentNameErrors, source.prefix, `${at}.prefix`),
      ...found.flatMap((name) => nameErrors(source[name]?.name ?? "", `${at}.${name}.name`)),
      ...errorIf(!found.length, () =>
        fieldError.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"),
      ),
      ...errorIf(found.length > 1, () =>
        fieldError.invalid(path, "", "may not have more than one field specified at a time"),
      ),
    ];
  });
}

/** Upstream validates the name as a prefix, which may end with a dash. */
function nameErrors(name: string, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  const masked = name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
  return dnsSubdomainErrors(masked, path).map((error) => ({
    ...error,
    body: error.body.replace(JSON.stringify(masked), () => JSON.stringify(name)),
  }));
}
