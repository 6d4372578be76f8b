// Converts a KWOK Stage to a stage of stage.ts. Reports unsupported fields: jq beyond plain paths,
// CEL, impersonation. Pure.
// Upstream: sigs.k8s.io/kwok/pkg/apis/v1alpha1/stage_types.go.
import { isObject, type JsonObject } from "homeostat/api";
import { type FieldReader, present } from "./field-reader.ts";
import { readEvent, readPatch, readRequirement } from "./read-stage.ts";
import type { StageRequirement, Stage, StageDelay, StageEffect, StageSelector } from "./stage.ts";

export const kwokGroup = "kwok.x-k8s.io";

/** Reads a KWOK Stage. The reader collects the faults. */
export function readKwokStage(fields: JsonObject, reader: FieldReader): Stage {
  const spec = reader.object(fields, "spec", "") ?? {};
  // immediateNextStage saves a round trip. It has no effect here.
  reader.only(spec, "spec.", [
    "resourceRef",
    "selector",
    "weight",
    "weightFrom",
    "delay",
    "next",
    "immediateNextStage",
  ]);
  const about = reader.object(spec, "resourceRef", "spec.") ?? {};
  reader.only(about, "spec.resourceRef.", ["apiGroup", "kind"]);
  const kind = reader.text(about, "kind", "spec.resourceRef.");
  if (kind === undefined) reader.fault("spec.resourceRef.kind", "a kind was expected");
  return present<Stage>({
    name: reader.text(reader.object(fields, "metadata", "") ?? {}, "name", "metadata.") ?? "",
    for: {
      apiVersion: reader.text(about, "apiGroup", "spec.resourceRef.") ?? "v1",
      kind: kind ?? "",
    },
    when: readSelector(reader.object(spec, "selector", "spec."), reader),
    after: readDelay(reader.object(spec, "delay", "spec."), reader),
    weight: reader.count(spec, "weight", "spec.") ?? 0,
    weightFrom: readFrom(reader.object(spec, "weightFrom", "spec."), reader, "spec.weightFrom."),
    // KWOK has no built-in stages.
    replacesBuiltIn: true,
    next: readNext(reader.object(spec, "next", "spec."), reader),
  });
}

function readSelector(
  selector: JsonObject | undefined,
  reader: FieldReader,
): StageSelector | undefined {
  if (!selector) return undefined;
  const at = "spec.selector.";
  reader.only(selector, at, ["matchLabels", "matchAnnotations", "matchExpressions"]);
  return present<StageSelector>({
    labels: reader.textMap(selector, "matchLabels", at),
    annotations: reader.textMap(selector, "matchAnnotations", at),
    fields: reader
      .objects(selector, "matchExpressions", at)
      ?.map((one, i) => readExpression(one, reader, `${at}matchExpressions[${i}].`)),
  });
}

/** The older form has the path beside the operator, the newer one under `jq`. */
function readExpression(one: JsonObject, reader: FieldReader, at: string): StageRequirement {
  const inner = isObject(one["jq"]) ? one["jq"] : undefined;
  if (inner) {
    reader.only(one, at, ["jq"]);
    const { expression, ...rest } = inner;
    return readRequirement(expression === undefined ? rest : { ...rest, key: expression }, reader, {
      at: `${at}jq.`,
      path: "key",
    });
  }
  return readRequirement(one, reader, { at, path: "key" });
}

function readDelay(delay: JsonObject | undefined, reader: FieldReader): StageDelay | undefined {
  if (!delay) return undefined;
  const at = "spec.delay.";
  reader.only(delay, at, [
    "durationMilliseconds",
    "durationFrom",
    "jitterDurationMilliseconds",
    "jitterDurationFrom",
  ]);
  return present<StageDelay>({
    ms: reader.count(delay, "durationMilliseconds", at),
    from: readFrom(reader.object(delay, "durationFrom", at), reader, `${at}durationFrom.`),
    jitterToMs: reader.count(delay, "jitterDurationMilliseconds", at),
    jitterFrom: readFrom(
      reader.object(delay, "jitterDurationFrom", at),
      reader,
      `${at}jitterDurationFrom.`,
    ),
  });
}

function readFrom(
  from: JsonObject | undefined,
  reader: FieldReader,
  at: string,
): string | undefined {
  if (!from) return undefined;
  reader.only(from, at, ["expressionFrom", "jq"]);
  const { jq } = from;
  return isObject(jq)
    ? reader.text(jq, "expression", `${at}jq.`)
    : reader.text(from, "expressionFrom", at);
}

function readNext(next: JsonObject | undefined, reader: FieldReader): StageEffect | undefined {
  if (!next) return undefined;
  const at = "spec.next.";
  reader.only(next, at, [
    "event",
    "finalizers",
    "delete",
    "statusTemplate",
    "statusSubresource",
    "patches",
  ]);
  if ((reader.text(next, "statusSubresource", at) ?? "status") !== "status")
    reader.fault(`${at}statusSubresource`, "only status is supported; use patches for others");
  const finalizers = reader.object(next, "finalizers", at);
  return present<StageEffect>({
    statusTemplate: reader.text(next, "statusTemplate", at) || undefined,
    patches: reader
      .objects(next, "patches", at)
      ?.map((one, i) => readPatch(one, reader, `${at}patches[${i}].`)),
    event: readEvent(reader.object(next, "event", at), reader, `${at}event.`),
    finalizers: finalizers && readFinalizers(finalizers, reader, `${at}finalizers.`),
    delete: reader.flag(next, "delete", at) || undefined,
  } as { readonly [K in keyof StageEffect]-?: StageEffect[K] | undefined });
}

function readFinalizers(
  finalizers: JsonObject,
  reader: FieldReader,
  at: string,
): NonNullable<StageEffect["finalizers"]> {
  reader.only(finalizers, at, ["add", "remove", "empty"]);
  const names = (field: string): readonly string[] | undefined =>
    reader.objects(finalizers, field, at)?.map(({ value }) => String(value));
  return present<NonNullable<StageEffect["finalizers"]>>({
    add: names("add"),
    remove: names("remove"),
    empty: reader.flag(finalizers, "empty", at) || undefined,
  } as never);
}
