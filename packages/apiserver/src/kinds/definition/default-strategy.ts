// The parts that the strategies of most kinds share: of plain objects, and of objects with a spec
// and a status.
// Upstream: the strategies under k8s.io/kubernetes/pkg/registry, which differ from these in a few
// lines each.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import { type DecodedObject, metadataOf } from "../../apimachinery/meta/read-meta.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { memberOf } from "./restore-emptied.ts";
import type { StrategyOverrides } from "./kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";

/** The strategy of an object that has a valid name, and neither generation nor status. */
export const defaultStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  deleteReturnsObject: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validateCreate: () => [],
  validateUpdate: () => [],
  warningsOnCreate: () => [],
  warningsOnUpdate: () => [],
  validateName: nameIsDnsSubdomain,
  resetFields: [],
};

/** Resets `field` to its value in `old`; removes it when `old` has none. */
export function keepOld<T extends object>(
  object: T,
  old: NoInfer<T>,
  field: keyof NoInfer<T> & string,
): void {
  if (old[field] === undefined) delete (object as Partial<T>)[field];
  else object[field] = old[field];
}

/**
 * Increments the old metadata.generation when one of the fields changed; otherwise keeps the old
 * one. What `context` has empty counts as a change.
 */
export function bumpGeneration<T extends DecodedObject>(
  object: T,
  old: NoInfer<T>,
  fields: readonly (keyof NoInfer<T> & string)[],
  context: Pick<WriteContext, "emptied"> = {},
): void {
  const generation = Number(metadataOf(old).generation ?? 0);
  const changed = fields.some(
    (field) =>
      hasEmptied(object, context, field) || !equalJson(fieldOf(object, field), fieldOf(old, field)),
  );
  const next = changed ? generation + 1 : generation;
  if (next) metadataOf(object).generation = next;
  else delete metadataOf(object).generation;
}

const fieldOf = <T extends object>(object: T, field: keyof T): Json =>
  (object[field] as Json | undefined) ?? {};

/** The strategy of a kind whose generation counts the changes of one field. */
export const generationStrategy = <T extends DecodedObject>(
  field: keyof T & string,
): Required<Pick<StrategyOverrides<T>, "prepareForCreate" | "prepareForUpdate">> => ({
  prepareForCreate: (object) => void (metadataOf(object).generation = 1),
  prepareForUpdate: (object, old) => bumpGeneration<T>(object, old, [field]),
});

/**
 * The same for kinds whose fields upstream compares by reflect.DeepEqual: a list or map that the
 * body has empty differs from the stored one, which is absent.
 */
export const deepGenerationStrategy = <T extends DecodedObject>(
  field: keyof T & string,
): Required<Pick<StrategyOverrides<T>, "prepareForCreate" | "prepareForUpdate">> => ({
  ...generationStrategy<T>(field),
  prepareForUpdate: (object, old, context) => bumpGeneration<T>(object, old, [field], context),
});

/**
 * Whether the field or a part of it is a list or map that the body of the request has empty, and
 * for which no default stands.
 */
export const hasEmptied = (
  object: object,
  { emptied }: Pick<WriteContext, "emptied">,
  field: string,
): boolean =>
  emptied?.some(({ path }) => path[0] === field && isUnset(object as JsonObject, path)) ?? false;

function isUnset(object: JsonObject, path: readonly (string | number)[]): boolean {
  const value = path.reduce<Json | undefined>(memberOf, object);
  return value === undefined || value === null;
}

/** An object with the two parts that most kinds have. */
export interface SpecStatusObject extends DecodedObject {
  spec?: Json;
  status?: Json;
}

/** The strategy of a kind with spec, status and a generation that follows the spec. */
export const specStatusStrategy: StrategyOverrides<SpecStatusObject> = {
  prepareForCreate(object) {
    object.status = {};
    metadataOf(object).generation = 1;
  },
  prepareForUpdate(object, old) {
    keepOld(object, old, "status");
    bumpGeneration(object, old, ["spec"]);
  },
  resetFields: [["f:status"]],
};

/** The strategy of a kind with spec and status whose generation stays unset. */
export const statusResetStrategy: StrategyOverrides<SpecStatusObject> = {
  prepareForCreate: (object) => void (object.status = {}),
  prepareForUpdate: (object, old) => keepOld(object, old, "status"),
  resetFields: [["f:status"]],
};

/** The strategy of the status subresource of both: spec stays unchanged. */
export const statusStrategy: StrategyOverrides<SpecStatusObject> = {
  prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
  resetFields: [["f:spec"]],
};

const protectedFields = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const;

/** The strategy of a status subresource that protects metadata: a write changes status alone. */
export const statusOnlyStrategy: StrategyOverrides<SpecStatusObject> = {
  resetFields: [["f:metadata"], ["f:spec"]],
  prepareForUpdate(object, old) {
    keepOld(object, old, "spec");
    keepMetadataForStatus(object, old);
  },
};

/**
 * Resets metadata to the old one, except resourceVersion and managedFields. Upstream:
 * ResetObjectMetaForStatus in k8s.io/apimachinery/pkg/apis/meta/v1/meta.go.
 */
export function keepMetadataForStatus(object: DecodedObject, old: DecodedObject): void {
  for (const field of protectedFields) keepOld(metadataOf(object), metadataOf(old), field);
}
