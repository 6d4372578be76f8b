// The strategies of custom resources, of the main endpoint and of /status.
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
import {
  cloneJson,
  compareBytewise,
  equalJson,
  type Json,
  type JsonObject,
  labelKeyFaults,
} from "homeostat/api";
import {
  finalizersOf,
  metadataOf,
  metaNumber,
  metaString,
} from "../../apimachinery/meta/read-meta.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { Strategy, ValidationOutcome } from "../../apimachinery/rest/strategy.ts";
import { CorrelatedObject } from "../../schema/validation/correlated-object.ts";
import { validateEmbeddedMetadata } from "../../schema/objectmeta/validate-embedded-metadata.ts";
import { validateListSetsAndMaps } from "../../schema/listtype/validate-list-sets-and-maps.ts";
import type { CompiledRules } from "../../schema/cel/compiled-rules.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { blockingError, validateSchema } from "../../schema/validation/validate-schema.ts";
import { isQualifiedFinalizer } from "../validation/validate-object.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { type ScalePaths, validateScaleSpec, validateScaleStatus } from "./custom-scale.ts";

/** What the strategies of one version need. */
export interface CustomStrategyOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly node: SchemaNode | undefined;
  readonly rules: CompiledRules | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
}

/** The strategy of the main endpoint. */
export function createCustomStrategy(custom: CustomStrategyOptions): Strategy {
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    defaultPropagation: "Background",
    deleteReturnsObject: false,
    prepareForCreate(object) {
      if (custom.hasStatus) delete object.status;
      metadataOf(object).generation = 1;
    },
    prepareForUpdate(object, old) {
      if (custom.hasStatus) keepStatus(object, old);
      if (!equalBeyondMetadata(object, old))
        metadataOf(object).generation = (metaNumber(old, "generation") ?? 0) + 1;
    },
    validateCreate: (object) => validateNew(object, custom),
    validateUpdate: (object, old) => validateUpdate(object, old, custom),
    warningsOnCreate: (object) => finalizerWarnings(finalizersOf(object)),
    warningsOnUpdate: (object, old) => finalizerWarnings(addedFinalizers(object, old)),
    validateName: nameIsDnsSubdomain,
    resetFields: custom.hasStatus ? [["f:status"]] : [],
  };
}

/** The strategy of /status, which changes the status only. */
export function createCustomStatusStrategy(custom: CustomStrategyOptions): Strategy {
  return {
    ...createCustomStrategy(custom),
    prepareForUpdate: takeStatusOnly,
    validateUpdate: (object, old) => validateStatusUpdate(object, old, custom),
    warningsOnUpdate: () => [],
    resetFields: [["f:metadata"], ["f:spec"]],
  };
}

function keepStatus(object: JsonObject, old: JsonObject): void {
  if (Object.hasOwn(old, "status")) object.status = old.status!;
  else delete object.status;
}

function equalBeyondMetadata(object: JsonObject, old: JsonObject): boolean {
  return equalJson({ ...object, metadata: null }, { ...old, metadata: null });
}

function takeStatusOnly(object: JsonObject, old: JsonObject): void {
  const { status } = object;
  const { managedFields } = metadataOf(object);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, cloneJson(old));
  const metadata = metadataOf(object);
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  if (status === undefined) delete object.status;
  else object.status = status;
}

function validateNew(object: JsonObject, custom: CustomStrategyOptions): readonly FieldError[] {
  const body = validateBody(object, custom, (node) => validateSchema(object, node));
  return withRuleErrors(
    [
      ...body,
      ...validateEmbeddedMetadata(object, custom.node),
      ...validateListSetsAndMaps(object, custom.node),
    ],
    custom,
    { object },
  ).errors;
}

function validateUpdate(
  object: JsonObject,
  old: JsonObject,
  custom: CustomStrategyOptions,
): ValidationOutcome {
  const body = validateBody(object, custom, (node) =>
    validateSchema(object, node, { correlation: new CorrelatedObject(object, old, node) }),
  );
  return withRuleErrors(
    [
      ...body,
      ...validateEmbeddedMetadata(object, custom.node),
      ...newListErrors(object, old, custom),
    ],
    custom,
    { object, old },
  );
}

function validateStatusUpdate(
  object: JsonObject,
  old: JsonObject,
  custom: CustomStrategyOptions,
): ValidationOutcome {
  return withRuleErrors(
    [...validateStatus(object, old, custom), ...newListErrors(object, old, custom)],
    custom,
    { object, old },
  );
}

/** An object of the wrong kind is not validated further. */
function validateBody(
  object: JsonObject,
  custom: CustomStrategyOptions,
  schemaErrors: (node: SchemaNode) => readonly FieldError[],
): readonly FieldError[] {
  const { node, scale } = custom;
  const errors = validateTypeMeta(object, custom);
  return errors.length
    ? errors
    : [
        ...(node ? schemaErrors(node) : []),
        ...(scale
          ? [...validateScaleSpec(object, scale), ...validateScaleStatus(object, scale)]
          : []),
      ];
}

function validateStatus(
  object: JsonObject,
  old: JsonObject,
  custom: CustomStrategyOptions,
): readonly FieldError[] {
  const errors = validateTypeMeta(object, custom);
  if (errors.length) return errors;
  const whole = custom.node;
  const node = whole?.properties?.get("status");
  const present = Object.hasOwn(object, "status");
  const status =
    whole && node && present
      ? validateSchema(object.status!, node, {
          base: "status",
          // A status that the old object lacks is compared with null, as upstream's is with nil.
          correlation:
            new CorrelatedObject(object, old, whole).member("status") ??
            new CorrelatedObject(object.status!, null, node),
        })
      : [];
  return custom.scale ? [...status, ...validateScaleStatus(object, custom.scale)] : status;
}

/** A list may have duplicates if the old object has any. */
function newListErrors(
  object: JsonObject,
  old: JsonObject,
  custom: CustomStrategyOptions,
): readonly FieldError[] {
  const errors = validateListSetsAndMaps(object, custom.node);
  return errors.length && validateListSetsAndMaps(old, custom.node).length ? [] : errors;
}

const missingName = fieldError.required("metadata.name", "");

/**
 * CEL rules run only when no error blocks them. With `old`, violations that did not change become
 * warnings.
 */
function withRuleErrors(
  errors: readonly FieldError[],
  { rules }: CustomStrategyOptions,
  change: { readonly object: JsonObject; readonly old?: JsonObject },
): ValidationOutcome {
  if (!rules) return { errors, warnings: [] };
  // The registry reports the missing name; upstream's rules wait for it as for other errors.
  const isNamed = Boolean(metaString(change.object, "name"));
  const blocked = blockingError(isNamed ? errors : [...errors, missingName]);
  if (blocked) return { errors: [...errors, blocked], warnings: [] };
  const found = rules.evaluate({ ...change, path: "", ratchets: true });
  return { errors: [...errors, ...found.errors], warnings: found.warnings };
}

function validateTypeMeta(
  object: JsonObject,
  { kind, apiVersion }: CustomStrategyOptions,
): FieldError[] {
  const wrong = (field: string, value: Json | undefined, wanted: string): FieldError[] =>
    errorIf(value !== wanted, () => fieldError.invalid(field, value ?? "", `must be ${wanted}`));
  return [
    ...wrong("kind", object.kind, kind),
    ...wrong("apiVersion", object.apiVersion, apiVersion),
  ];
}

function addedFinalizers(object: JsonObject, old: JsonObject): readonly string[] {
  const before = new Set(finalizersOf(old));
  return finalizersOf(object).filter((finalizer) => !before.has(finalizer));
}

function finalizerWarnings(finalizers: readonly string[]): readonly string[] {
  return [...new Set(finalizers)].sort(compareBytewise).flatMap((finalizer) => {
    const path = `metadata.finalizers: ${quoteGo(finalizer)}`;
    const faults = labelKeyFaults(finalizer).map((fault) => `${path}: ${fault}`);
    if (isQualifiedFinalizer(finalizer)) return faults;
    const advice = finalizer.includes(".") ? "name including a path (/) " : "name ";
    return [
      ...faults,
      `${path}: prefer a domain-qualified finalizer ${advice}to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}
