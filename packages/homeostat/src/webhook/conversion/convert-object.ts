// Converts one object along the pairs of versions. What users return is checked by the rules by
// which the API server checks it: the metadata stays, but for labels and annotations.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go
// (validateConvertedObject, restoreObjectMeta).
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { describeValue } from "../../util/describe-error.ts";
import { refusePromise } from "../../util/refuse-promise.ts";
import { diffJson, type PatchOperation } from "../json-patch/diff-json.ts";
import { toJsonObject } from "../json-patch/to-json.ts";
import type { Conversion, ConversionStep } from "./define-conversion.ts";

/** The steps from each version of a kind to each other. */
export type FindSteps = (object: JsonObject, apiVersion: string) => readonly ConversionStep[];

/** Finds the shortest chains. The function throws when there is none. */
export function createStepFinder(conversions: readonly Conversion[]): FindSteps {
  const found = new Map<string, readonly ConversionStep[]>();
  const steps = conversions.flatMap((one) => one.steps);
  return ({ apiVersion: from, kind }, to) => {
    const id = `${String(kind)} ${String(from)} ${to}`;
    let chain = found.get(id);
    if (chain === undefined) {
      chain = shortest(
        steps.filter((step) => step.from.kind === kind),
        String(from),
        to,
      );
      if (!chain) throw new Error(`no conversion from ${String(from)} to ${to}`);
      found.set(id, chain);
    }
    return chain;
  };
}

function shortest(
  steps: readonly ConversionStep[],
  from: string,
  to: string,
): readonly ConversionStep[] | undefined {
  const chains = new Map<string, readonly ConversionStep[]>([[from, []]]);
  // A map yields what is added while it is walked.
  for (const [version, chain] of chains) {
    if (version === to) return chain;
    for (const step of steps)
      if (step.from.apiVersion === version && !chains.has(step.to.apiVersion))
        chains.set(step.to.apiVersion, [...chain, step]);
  }
  return undefined;
}

/** Converts an object; one that has the version already stays as it is. */
export const convertObject = (
  object: JsonObject,
  apiVersion: string,
  findSteps: FindSteps,
): JsonObject => findSteps(object, apiVersion).reduce(takeStep, object);

function takeStep(object: JsonObject, { to, convert }: ConversionStep): JsonObject {
  const returned = refusePromise(convert(object), "a conversion", "the converted object");
  if (typeof returned !== "object" || returned === null)
    throw new TypeError(`the conversion returned ${describeValue(returned)}, expected an object`);
  const { apiVersion: _, kind: __, metadata, ...rest } = toJsonObject(returned);
  return {
    apiVersion: to.apiVersion,
    kind: to.kind,
    metadata: mergedMetadata(object["metadata"] ?? {}, metadata),
    ...(object["status"] === undefined || rest["status"] !== undefined
      ? {}
      : { status: object["status"] }),
    ...rest,
  };
}

function mergedMetadata(original: Json, converted: Json | undefined): Json {
  if (!isObject(converted) || !isObject(original)) return original;
  const merged = { ...original };
  for (const field of ["labels", "annotations"] as const)
    if (converted[field] !== undefined) merged[field] = textsOf(converted[field], field);
  return merged;
}

function textsOf(value: Json, field: string): Json {
  const wrong = isObject(value)
    ? Object.entries(value).find(([, text]) => typeof text !== "string")
    : [];
  if (wrong === undefined) return value;
  const at = wrong.length > 0 ? `metadata.${field}[${wrong[0]}]` : `metadata.${field}`;
  throw new TypeError(`the conversion returned ${at} that is no string`);
}

/**
 * What is lost when an object goes to the other version of a conversion and back, as a JSON patch:
 * empty when nothing is. For tests: a client of one version must not destroy fields of the other.
 */
export function conversionLoss(conversion: Conversion, object: object): readonly PatchOperation[] {
  const original = toJsonObject(object);
  const findSteps = createStepFinder([conversion]);
  const home = String(original["apiVersion"]);
  const away = conversion.steps.find(({ from }) => from.apiVersion === home)?.to.apiVersion ?? home;
  return diffJson(
    withoutEmptyMaps(original),
    withoutEmptyMaps(convertObject(convertObject(original, away, findSteps), home, findSteps)),
  );
}

/** The server stores neither empty labels nor empty annotations. */
function withoutEmptyMaps(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  const kept = Object.entries(metadata).filter(
    ([field, value]) =>
      !["labels", "annotations"].includes(field) ||
      !isObject(value) ||
      Object.keys(value).length > 0,
  );
  return { ...object, metadata: Object.fromEntries(kept) };
}
