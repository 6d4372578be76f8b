// What custom resources decide about their own objects, on the main endpoint and on /status.
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
import { finalizersOf, metadataOf, metaNumber } from "../../apimachinery/meta/read-meta.ts";
import { type FieldError, invalid, quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { Correlation } from "../../schema/validation/correlated-object.ts";
import { validateEmbeddedMetadata } from "../../schema/objectmeta/embedded-metadata.ts";
import { validateUniqueLists } from "../../schema/listtype/validate-list-types.ts";
import type { CompiledRules } from "../../schema/cel/compiled-rules.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { blockingError, validateSchema } from "../../schema/validation/validate-schema.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { type ScalePaths, validateScaleSpec, validateScaleStatus } from "./custom-scale.ts";

/** One version, as its strategies see it. */
export interface CustomRules {
  readonly apiVersion: string;
  readonly kind: string;
  readonly node: SchemaNode | undefined;
  readonly rules: CompiledRules | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
}

/** The strategy of the main endpoint. */
export function createCustomStrategy(custom: CustomRules): Strategy {
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
    validateCreate: (object, context) => validateNew(object, custom, context),
    validateUpdate: (object, old, context) => validateChange(object, old, custom, context),
    warningsOnCreate: () => [],
    warningsOnUpdate: () => [],
    validateName: nameIsDnsSubdomain,
    resetFields: custom.hasStatus ? [["f:status"]] : [],
  };
}

/** The strategy of /status: nothing but status changes. */
export function createCustomStatusStrategy(custom: CustomRules): Strategy {
  return {
    ...createCustomStrategy(custom),
    prepareForUpdate: takeStatusOnly,
    validateUpdate: (object, old, context) => validateStatusChange(object, old, custom, context),
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

function validateNew(
  object: JsonObject,
  custom: CustomRules,
  context: WriteContext,
): readonly FieldError[] {
  const body = validateBody(object, custom, (node) => validateSchema(object, node));
  const errors = withRuleErrors(
    [
      ...body,
      ...validateEmbeddedMetadata(object, custom.node),
      ...validateUniqueLists(object, custom.node),
    ],
    custom,
    { object },
  );
  if (!errors.length) warnOfFinalizers(finalizersOf(object), context);
  return errors;
}

function validateChange(
  object: JsonObject,
  old: JsonObject,
  custom: CustomRules,
  context: WriteContext,
): readonly FieldError[] {
  const body = validateBody(object, custom, (node) =>
    validateSchema(object, node, { correlation: new Correlation(object, old, node) }),
  );
  const errors = withRuleErrors(
    [
      ...body,
      ...validateEmbeddedMetadata(object, custom.node),
      ...newListErrors(object, old, custom),
    ],
    custom,
    { object, old, context },
  );
  if (!errors.length) warnOfFinalizers(addedFinalizers(object, old), context);
  return errors;
}

function validateStatusChange(
  object: JsonObject,
  old: JsonObject,
  custom: CustomRules,
  context: WriteContext,
): readonly FieldError[] {
  return withRuleErrors(
    [...validateStatus(object, old, custom), ...newListErrors(object, old, custom)],
    custom,
    { object, old, context },
  );
}

/** An object of the wrong kind is not looked into. */
function validateBody(
  object: JsonObject,
  custom: CustomRules,
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
  custom: CustomRules,
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
          correlation: new Correlation(object, old, whole).member("status"),
        })
      : [];
  return custom.scale ? [...status, ...validateScaleStatus(object, custom.scale)] : status;
}

/** A list that held something twice before may do so again. */
function newListErrors(
  object: JsonObject,
  old: JsonObject,
  custom: CustomRules,
): readonly FieldError[] {
  const errors = validateUniqueLists(object, custom.node);
  return errors.length && validateUniqueLists(old, custom.node).length ? [] : errors;
}

/**
 * CEL rules run only on objects that they can be trusted with. `context` is given where unchanged
 * breaches become warnings.
 */
function withRuleErrors(
  errors: readonly FieldError[],
  { rules }: CustomRules,
  {
    object,
    old,
    context,
  }: { readonly object: JsonObject; readonly old?: JsonObject; readonly context?: WriteContext },
): readonly FieldError[] {
  if (!rules) return errors;
  const blocked = blockingError(errors);
  if (blocked) return [...errors, blocked];
  const warn =
    context &&
    ((text: string) => (context.warnAnyway ? context.warnAnyway(text) : context.warn(text)));
  return [...errors, ...rules.evaluate({ object, old, path: "", warn }).errors];
}

function validateTypeMeta(object: JsonObject, { kind, apiVersion }: CustomRules): FieldError[] {
  const wrong = (field: string, value: Json | undefined, wanted: string): FieldError[] =>
    value === wanted ? [] : [invalid(field, value ?? "", `must be ${wanted}`)];
  return [
    ...wrong("kind", object.kind, kind),
    ...wrong("apiVersion", object.apiVersion, apiVersion),
  ];
}

function addedFinalizers(object: JsonObject, old: JsonObject): readonly string[] {
  const before = new Set(finalizersOf(old));
  return finalizersOf(object).filter((finalizer) => !before.has(finalizer));
}

const standardFinalizers: ReadonlySet<string> = new Set([
  "orphan",
  "foregroundDeletion",
  "kubernetes",
]);

function warnOfFinalizers(finalizers: readonly string[], context: WriteContext): void {
  for (const finalizer of [...new Set(finalizers)].sort(compareBytewise)) {
    for (const fault of labelKeyFaults(finalizer))
      context.warn(`metadata.finalizers: ${quoteGo(finalizer)}: ${fault}`);
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    const advice = finalizer.includes(".") ? "name including a path (/) " : "name ";
    context.warn(
      `metadata.finalizers: ${quoteGo(finalizer)}: prefer a domain-qualified finalizer ${advice}to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
