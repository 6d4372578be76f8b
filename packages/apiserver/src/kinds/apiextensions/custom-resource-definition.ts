// The record of CustomResourceDefinition: defaults, rules on writing, and what deletion waits for.
// Knows nothing of how definitions get established and served (definition-controller.ts).
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/{strategy,etcd}.go,
// pkg/apis/apiextensions/v1/{defaults,conversion}.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { bumpGeneration, keepOld } from "../definition/default-strategy.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { definitionOf, type DefinitionCondition } from "./definition.ts";
import { setCondition } from "./set-condition.ts";
import { unrecognizedFormats } from "./unrecognized-formats.ts";
import {
  validateDefinitionChange,
  validateDefinitionStatus,
  validateNewDefinition,
} from "./validate-definition.ts";
import type { SchemaChecks } from "./validate-spec.ts";

/** Kept by a definition until its last custom resource is gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** The record, checking schemas with `checks`. */
export function customResourceDefinition(
  checks: SchemaChecks,
  committed: NonNullable<KindDefinition["committed"]>,
): KindDefinition {
  return {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    stored: "json",
    defaults,
    committed,
    strategy: {
      allowUnconditionalUpdate: false,
      resetFields: [["f:status"]],
      prepareForCreate(object) {
        object["status"] = {
          conditions: null,
          acceptedNames: { plural: "", kind: "" },
          storedVersions: null,
        };
        metadataOf(object)["generation"] = 1;
        addStorageVersion(object);
      },
      prepareForUpdate(object, old) {
        keepOld(object, old, "status");
        bumpGeneration(object, old, ["spec"]);
        addStorageVersion(object);
      },
      validateCreate: (object, context) =>
        warned(object, undefined, context, validateNewDefinition(definitionOf(object), checks)),
      validateUpdate: (object, old, context) =>
        warned(
          object,
          old,
          context,
          validateDefinitionChange(definitionOf(object), definitionOf(old), checks),
        ),
      // The first delete only marks, so that the finalizer below gets its turn.
      deletion: {
        holds: (object) => metadataOf(object)["deletionTimestamp"] === undefined,
        mark: markDeleted,
        ignoresPropagation: true,
      },
    },
    subresources: {
      status: {
        resetFields: [["f:spec"]],
        prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
        validateUpdate: (object) => validateDefinitionStatus(definitionOf(object)),
      },
    },
  };
}

function defaults(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  const names = objectAt(spec, "names");
  const kind = stringAt(names, "kind");
  if (!stringAt(names, "singular") && kind) names["singular"] = kind.toLowerCase();
  if (!stringAt(names, "listKind") && kind) names["listKind"] = `${kind}List`;
  const conversion = spec["conversion"];
  if (!isObject(conversion)) spec["conversion"] = { strategy: "None" };
  else defaultConversion(conversion);
  const status = objectAt(object, "status");
  const stored = status["storedVersions"];
  if (!Array.isArray(stored) || !stored.length)
    status["storedVersions"] =
      storageVersionOf(object) === undefined ? null : [storageVersionOf(object)!];
}

function defaultConversion(conversion: JsonObject): void {
  const service = objectAt(objectAt(conversion, "webhook"), "clientConfig")["service"];
  if (isObject(service) && service["port"] === undefined) service["port"] = 443;
  const webhook = conversion["webhook"];
  // The internal form has no place for a webhook without client and versions.
  if (
    isObject(webhook) &&
    webhook["clientConfig"] === undefined &&
    !hasItems(webhook["conversionReviewVersions"])
  )
    delete conversion["webhook"];
}

const hasItems = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0;

function storageVersionOf(object: JsonObject): string | undefined {
  return definitionOf(object).spec.versions?.find((version) => version.storage)?.name;
}

function addStorageVersion(object: JsonObject): void {
  const version = storageVersionOf(object);
  const status = { ...objectAt(object, "status") };
  const stored = Array.isArray(status["storedVersions"]) ? status["storedVersions"] : [];
  if (version === undefined || stored.includes(version)) return;
  object["status"] = { ...status, storedVersions: [...stored, version] };
}

/** Formats without effect are accepted with a warning, once they are new. */
function warned(
  object: JsonObject,
  old: JsonObject | undefined,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  const before = new Set(old ? unrecognizedFormats(definitionOf(old).spec) : []);
  for (const format of unrecognizedFormats(definitionOf(object).spec))
    if (!before.has(format)) context.warn(`unrecognized format ${quoteGo(format)}`);
  return errors;
}

function markDeleted(object: JsonObject, { now }: WriteContext): void {
  const metadata = metadataOf(object);
  metadata["deletionTimestamp"] = now;
  const finalizers = Array.isArray(metadata["finalizers"]) ? metadata["finalizers"] : [];
  if (!finalizers.includes(cleanupFinalizer))
    metadata["finalizers"] = [...finalizers, cleanupFinalizer];
  const condition: DefinitionCondition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message:
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  const conditions = setCondition(definitionOf(object).status.conditions ?? [], condition, now);
  object["status"] = {
    ...objectAt(object, "status"),
    conditions: conditions as unknown as JsonObject[],
  };
}
