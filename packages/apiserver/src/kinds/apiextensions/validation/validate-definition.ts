// Validates CustomResourceDefinitions on create, update and status update. The registry validates
// their metadata.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import { equalJson, type Json } from "homeostat/api";
import { isStatusConditionTrue } from "../../../apimachinery/meta/conditions.ts";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { validateCaBundle } from "../../validation/validate-webhook-client.ts";
import { immutable } from "../../validation/validate-object.ts";
import { validateApproval } from "./api-approval.ts";
import { type Definition, type DefinitionVersion } from "../definition/definition.ts";
import { validateNames } from "./validate-names.ts";
import type { SchemaChecks } from "./validate-root-schema.ts";
import { type SpecHistory, validateSpec } from "./validate-spec.ts";

const fresh: SpecHistory = { caBundle: "ignored", unchangedVersions: new Set() };

/** A new definition. */
export function validateNewDefinition(definition: Definition, checks: SchemaChecks): FieldError[] {
  return [
    ...nameErrors(definition),
    ...validateSpec(definition.spec, checks, fresh),
    ...commonErrors(definition, undefined),
  ];
}

/** An update through the main endpoint. */
export function validateDefinitionChange(
  definition: Definition,
  old: Definition,
  checks: SchemaChecks,
): FieldError[] {
  const { spec } = definition;
  const frozen = isStatusConditionTrue(old.status.conditions, "Established")
    ? [
        ...immutable("spec.scope", spec.scope ?? "", old.spec.scope ?? ""),
        ...immutable("spec.names.kind", spec.names?.kind ?? "", old.spec.names?.kind ?? ""),
      ]
    : [];
  return [
    ...validateSpec(spec, checks, historyOf(definition, old)),
    ...frozen,
    ...immutable("spec.group", spec.group ?? "", old.spec.group ?? ""),
    ...immutable("spec.names.plural", spec.names?.plural ?? "", old.spec.names?.plural ?? ""),
    ...commonErrors(definition, old),
  ];
}

/** An update through /status. */
export function validateDefinitionStatus(definition: Definition): FieldError[] {
  return validateNames(definition.status.acceptedNames ?? {}, "status.acceptedNames");
}

function nameErrors({ metadata, spec }: Definition): FieldError[] {
  const wanted = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`;
  return errorIf(metadata.name && metadata.name !== wanted, () =>
    fieldError.invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group'),
  );
}

function commonErrors(definition: Definition, old: Definition | undefined): FieldError[] {
  return [
    ...validateDefinitionStatus(definition),
    ...storedVersionErrors(definition),
    ...validateApproval(definition, old),
    ...preserveErrors(definition, old),
  ];
}

function storedVersionErrors({ spec, status }: Definition): FieldError[] {
  const path = "status.storedVersions";
  const stored = status.storedVersions ?? [];
  const printed: Json = stored.length ? [...stored] : null;
  if (!stored.length)
    return [fieldError.invalid(path, printed, "must have at least one stored version")];
  const left = new Map(stored.map((name, i) => [name, i]));
  const errors: FieldError[] = [];
  for (const { name, storage } of spec.versions ?? []) {
    if (storage && !left.has(name))
      errors.push(fieldError.invalid(path, printed, `must have the storage version ${name}`));
    left.delete(name);
  }
  return [
    ...errors,
    ...[...left].map(([name, i]) => fieldError.invalid(`${path}[${i}]`, name, goneText(name))),
  ];
}

const goneText = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

function preserveErrors({ spec }: Definition, old: Definition | undefined): FieldError[] {
  if (!spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  return [
    fieldError.invalid(
      "spec.preserveUnknownFields",
      true,
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ),
  ];
}

function historyOf(definition: Definition, old: Definition): SpecHistory {
  const schemaOf = (version: DefinitionVersion | undefined): Json =>
    (version?.schema ?? null) as Json;
  const before = new Map((old.spec.versions ?? []).map((version) => [version.name, version]));
  const unchanged = (definition.spec.versions ?? []).filter(
    (version) =>
      before.has(version.name) && equalJson(schemaOf(version), schemaOf(before.get(version.name))),
  );
  const oldBundle = old.spec.conversion?.webhook?.clientConfig?.caBundle;
  const tolerant =
    !isStatusConditionTrue(old.status.conditions, "Established") ||
    (oldBundle !== undefined && validateCaBundle(oldBundle, "").length > 0);
  return {
    caBundle: tolerant ? "ignored" : "checked",
    unchangedVersions: new Set(unchanged.map((version) => version.name)),
  };
}
