// Environment variables of containers and where they come from.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateEnv,
// ValidateEnvFrom).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  required,
} from "../../../../../apimachinery/errors/field-error.ts";
import { mutableAt, stringAt } from "../../../../../apimachinery/meta/read-fields.ts";
import { configMapKeyFaults } from "../../../../validation/names.ts";
import {
  backstepErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  environmentNameFaults,
  ruled,
} from "../../../../validation/field-rules.ts";
import { validateFieldRef, validateResourceFieldRef } from "../volumes/validate-downward-api.ts";

/** `env`. */
export function validateEnvironment(variables: readonly JsonObject[], path: string): FieldError[] {
  return variables.flatMap((variable, i) => {
    const name = stringAt(variable, "name");
    const source = mutableAt(variable, "valueFrom");
    return [
      ...(name
        ? ruled(environmentNameFaults, name, `${path}[${i}].name`)
        : [required(`${path}[${i}].name`, "")]),
      ...(source
        ? sourceErrors(source, stringAt(variable, "value"), `${path}[${i}].valueFrom`)
        : []),
    ];
  });
}

/** In upstream's order. */
const sourceRules: Readonly<Record<string, (source: JsonObject, path: string) => FieldError[]>> = {
  fieldRef: (source, path) => validateFieldRef(source, "environment", path),
  resourceFieldRef: (source, path) => validateResourceFieldRef(source, "environment", path),
  configMapKeyRef: keyErrors,
  secretKeyRef: keyErrors,
  fileKeyRef: fileErrors,
};

function sourceErrors(source: JsonObject, value: string, path: string): FieldError[] {
  const found = Object.keys(sourceRules).filter((name) => mutableAt(source, name));
  const errors = found.flatMap((name) =>
    sourceRules[name]!(mutableAt(source, name)!, `${path}.${name}`),
  );
  if (!found.length)
    errors.push(
      invalid(
        path,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  else if (value) errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  else if (found.length > 1)
    errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  return errors;
}

function keyErrors(source: JsonObject, path: string): FieldError[] {
  const key = stringAt(source, "key");
  return [
    ...dnsSubdomainErrors(stringAt(source, "name"), `${path}.name`),
    ...(key ? ruled(configMapKeyFaults, key, `${path}.key`) : [required(`${path}.key`, "")]),
  ];
}

function fileErrors(source: JsonObject, path: string): FieldError[] {
  const key = stringAt(source, "key");
  const volume = stringAt(source, "volumeName");
  const file = stringAt(source, "path");
  return [
    ...(key ? ruled(environmentNameFaults, key, `${path}.key`) : [required(`${path}.key`, "")]),
    ...(volume
      ? dnsLabelErrors(volume, `${path}.volumeName`)
      : [required(`${path}.volumeName`, "")]),
    ...(file ? backstepErrors(file, `${path}.path`) : [required(`${path}.path`, "")]),
  ];
}

/** `envFrom`. The count of sources is reported at the list, not at the item. */
export function validateEnvironmentSources(
  sources: readonly JsonObject[],
  path: string,
): FieldError[] {
  return sources.flatMap((source, i) => {
    const prefix = stringAt(source, "prefix");
    const found = ["configMapRef", "secretRef"].filter((name) => mutableAt(source, name));
    return [
      ...(prefix ? ruled(environmentNameFaults, prefix, `${path}[${i}].prefix`) : []),
      ...found.flatMap((name) =>
        nameErrors(stringAt(mutableAt(source, name)!, "name"), `${path}[${i}].${name}.name`),
      ),
      ...(found.length
        ? []
        : [invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")]),
      ...(found.length > 1
        ? [invalid(path, "", "may not have more than one field specified at a time")]
        : []),
    ];
  });
}

/** As the start of a name, so that a trailing dash is fine. */
function nameErrors(name: string, path: string): FieldError[] {
  if (!name) return [required(path, "")];
  const masked = name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
  return dnsSubdomainErrors(masked, path).map((error) => ({
    ...error,
    body: error.body.replace(JSON.stringify(masked), () => JSON.stringify(name)),
  }));
}
