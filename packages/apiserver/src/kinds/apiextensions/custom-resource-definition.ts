// The definition of the kind CustomResourceDefinition: defaults, strategy and deletion. Knows
// nothing of how definitions get established and served
// (post-start-hooks/apiextensions/crd-controller.ts).
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/{strategy,etcd}.go,
// pkg/apis/apiextensions/v1/{defaults,conversion}.go.
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
} from "homeostat/k8s/apiextensions/v1";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import {
  type CommittedHook,
  gvk,
  type KindDefinition,
  type StrategyOverrides,
} from "../definition/kind-definition.ts";
import { bumpGeneration, keepOld, statusStrategy } from "../definition/default-strategy.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { definitionOf, type DefinitionCondition } from "./definition/definition.ts";
import { setCondition } from "./definition/set-condition.ts";
import type { InternalConversions } from "../printers/print-internal.ts";
import type { DefinitionRules } from "./definition-rules.ts";

/** The finalizer that holds a definition until its last custom resource is deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/**
 * One schema or several, a schema or true, a schema or names.
 * Upstream: pkg/apis/apiextensions/v1/conversion.go
 * (Convert_v1_JSONSchemaPropsOrArray_To_apiextensions_JSONSchemaPropsOrArray and the like).
 */
function toInternalChoice(value: Json | undefined): JsonObject {
  if (Array.isArray(value)) return { jSONSchemas: value, property: value };
  return typeof value === "boolean" ? { allows: value } : { allows: true, schema: value ?? null };
}

export const schemaConversions: InternalConversions = {
  "apiextensions.JSONSchemaPropsOrArray": toInternalChoice,
  "apiextensions.JSONSchemaPropsOrBool": toInternalChoice,
  "apiextensions.JSONSchemaPropsOrStringArray": toInternalChoice,
};

/** The definition of the kind; `rules` is called with the first write. */
export function customResourceDefinition(
  rules: () => DefinitionRules,
  committed: CommittedHook,
): KindDefinition<Decoded<CustomResourceDefinition>> {
  return {
    ...gvk("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    etcdPrefix: "apiextensions.k8s.io/customresourcedefinitions",
    stored: "json",
    defaults: setDefaults,
    committed,
    conversions: schemaConversions,
    strategy: strategyWith(rules),
    withoutTables: ["status"],
    subresources: {
      status: {
        ...statusStrategy,
        validateUpdate: (object) => rules().validateStatus(definitionOf(object)),
      },
    },
  };
}

function strategyWith(
  rules: () => DefinitionRules,
): StrategyOverrides<Decoded<CustomResourceDefinition>> {
  return {
    allowUnconditionalUpdate: false,
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object.status = {
        conditions: null,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: null,
      };
      metadataOf(object).generation = 1;
      addStorageVersion(object);
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      bumpGeneration(object, old, ["spec"]);
      addStorageVersion(object);
    },
    validateCreate: (object) => rules().validateNew(definitionOf(object)),
    validateUpdate: (object, old) =>
      rules().validateChange(definitionOf(object), definitionOf(old)),
    warningsOnCreate: (object) => formatWarnings(rules(), object, undefined),
    warningsOnUpdate: (object, old) => formatWarnings(rules(), object, old),
    // The first delete only marks, so that the finalizer below takes effect.
    deletion: {
      holds: (object) => metadataOf(object).deletionTimestamp === undefined,
      mark: markDeleted,
      ignoresPropagation: true,
    },
  };
}

function setDefaults(object: Decoded<CustomResourceDefinition>): void {
  const spec = object.spec ?? {};
  const { names } = spec;
  if (names?.kind) {
    names.singular ||= names.kind.toLowerCase();
    names.listKind ||= `${names.kind}List`;
  }
  if (spec.conversion) setConversionDefaults(spec.conversion);
  else spec.conversion = { strategy: "None" };
  const { status } = object;
  const storageVersion = storageVersionOf(object);
  if (status && !status.storedVersions?.length)
    status.storedVersions = storageVersion === undefined ? null : [storageVersion];
}

function setConversionDefaults(conversion: Decoded<CustomResourceConversion>): void {
  const { webhook } = conversion;
  if (webhook?.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  // The internal form has no place for a webhook without client and versions.
  if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions?.length)
    delete conversion.webhook;
}

function storageVersionOf(object: Decoded<CustomResourceDefinition>): string | undefined {
  return definitionOf(object).spec.versions?.find((version) => version.storage)?.name;
}

function addStorageVersion(object: Decoded<CustomResourceDefinition>): void {
  const version = storageVersionOf(object);
  const stored = object.status?.storedVersions ?? [];
  if (version === undefined || stored.includes(version)) return;
  object.status = { ...object.status, storedVersions: [...stored, version] };
}

/** Formats that no check exists for are accepted with a warning when they are new. */
function formatWarnings(
  { unrecognizedFormats }: DefinitionRules,
  object: Decoded<CustomResourceDefinition>,
  old: Decoded<CustomResourceDefinition> | undefined,
): readonly string[] {
  const before = new Set(old ? unrecognizedFormats(definitionOf(old)) : []);
  return unrecognizedFormats(definitionOf(object))
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${quoteGo(format)}`);
}

function markDeleted(object: Decoded<CustomResourceDefinition>, { now }: WriteContext): void {
  const metadata = metadataOf(object);
  metadata.deletionTimestamp = now;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(cleanupFinalizer))
    metadata.finalizers = [...finalizers, cleanupFinalizer];
  const condition: DefinitionCondition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message:
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  const conditions = setCondition(definitionOf(object).status.conditions ?? [], condition, now);
  object.status = { ...object.status, conditions: [...conditions] };
}
