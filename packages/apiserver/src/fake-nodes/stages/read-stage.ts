// Reads a stage (stage.ts) from a parsed document. Pure.
import type { JsonObject } from "homeostat/api";
import { type FieldReader, present } from "./field-reader.ts";
import type {
  StageRequirement,
  PodAction,
  Stage,
  StageDelay,
  StageEffect,
  StagePatch,
  StageSelector,
} from "./stage.ts";

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
const acts = ["create", "initialize", "start", "crash", "end", "stop", "evict", "observe"] as const;

/** Reads a stage. The reader collects the faults. */
export function readStage(fields: JsonObject, reader: FieldReader): Stage {
  reader.only(fields, "", [
    "name",
    "for",
    "when",
    "after",
    "weight",
    "weightFrom",
    "replacesBuiltIn",
    "next",
  ]);
  const about = reader.object(fields, "for", "") ?? {};
  reader.only(about, "for.", ["apiVersion", "kind"]);
  const kind = reader.text(about, "kind", "for.");
  if (kind === undefined) reader.fault("for.kind", "a kind was expected, e.g. Pod");
  const name = reader.text(fields, "name", "");
  if (!name) reader.fault("name", "a name was expected");
  return present<Stage>({
    name: name ?? "",
    for: { apiVersion: reader.text(about, "apiVersion", "for.") ?? "v1", kind: kind ?? "" },
    when: readSelector(reader.object(fields, "when", ""), reader),
    after: readDelay(reader.object(fields, "after", ""), reader),
    weight: reader.count(fields, "weight", ""),
    weightFrom: reader.text(fields, "weightFrom", ""),
    replacesBuiltIn: reader.flag(fields, "replacesBuiltIn", "") || undefined,
    next: readEffect(reader.object(fields, "next", ""), reader),
  });
}

function readSelector(
  when: JsonObject | undefined,
  reader: FieldReader,
): StageSelector | undefined {
  if (!when) return undefined;
  reader.only(when, "when.", ["labels", "annotations", "fields"]);
  const fields = reader
    .objects(when, "fields", "when.")
    ?.map((one, i) => readRequirement(one, reader, { at: `when.fields[${i}].`, path: "path" }));
  return present<StageSelector>({
    labels: reader.textMap(when, "labels", "when."),
    annotations: reader.textMap(when, "annotations", "when."),
    fields,
  });
}

/** Reads a requirement. `path` is the name of the field that holds the path. */
export function readRequirement(
  one: JsonObject,
  reader: FieldReader,
  { at, path }: { readonly at: string; readonly path: string },
): StageRequirement {
  reader.only(one, at, [path, "operator", "values"]);
  const operator = reader.oneOf(one, "operator", at, operators);
  if (operator === undefined)
    reader.fault(`${at}operator`, `one of ${operators.join(", ")} was expected`);
  const values = reader.texts(one, "values", at);
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues !== Boolean(values?.length))
    reader.fault(
      `${at}values`,
      takesValues ? `${operator} needs values` : `${operator} takes no values`,
    );
  return present<StageRequirement>({
    path: reader.text(one, path, at) ?? "",
    operator: operator ?? "Exists",
    values: takesValues ? values : undefined,
  });
}

function readDelay(after: JsonObject | undefined, reader: FieldReader): StageDelay | undefined {
  if (!after) return undefined;
  reader.only(after, "after.", ["ms", "from", "jitterToMs", "jitterFrom", "backOff"]);
  const backOff = reader.object(after, "backOff", "after.");
  if (backOff) reader.only(backOff, "after.backOff.", ["count", "maxMs"]);
  return present<StageDelay>({
    ms: reader.count(after, "ms", "after."),
    from: reader.text(after, "from", "after."),
    jitterToMs: reader.count(after, "jitterToMs", "after."),
    jitterFrom: reader.text(after, "jitterFrom", "after."),
    backOff: backOff && {
      count: reader.text(backOff, "count", "after.backOff.") ?? "",
      maxMs: reader.count(backOff, "maxMs", "after.backOff.") ?? 300_000,
    },
  });
}

function readEffect(next: JsonObject | undefined, reader: FieldReader): StageEffect | undefined {
  if (!next) return undefined;
  reader.only(next, "next.", [
    "pod",
    "status",
    "statusTemplate",
    "patches",
    "event",
    "finalizers",
    "delete",
  ]);
  const finalizers = reader.object(next, "finalizers", "next.");
  if (finalizers) reader.only(finalizers, "next.finalizers.", ["add", "remove", "empty"]);
  return present<StageEffect>({
    pod: readAction(reader.object(next, "pod", "next."), reader),
    status: reader.object(next, "status", "next."),
    statusTemplate: reader.text(next, "statusTemplate", "next."),
    patches: reader
      .objects(next, "patches", "next.")
      ?.map((one, i) => readPatch(one, reader, `next.patches[${i}].`)),
    event: readEvent(reader.object(next, "event", "next."), reader, "next.event."),
    finalizers:
      finalizers &&
      present({
        add: reader.texts(finalizers, "add", "next.finalizers."),
        remove: reader.texts(finalizers, "remove", "next.finalizers."),
        empty: reader.flag(finalizers, "empty", "next.finalizers.") || undefined,
      }),
    delete: reader.flag(next, "delete", "next.") || undefined,
  } as { readonly [K in keyof StageEffect]-?: StageEffect[K] | undefined });
}

function readAction(pod: JsonObject | undefined, reader: FieldReader): PodAction | undefined {
  if (!pod) return undefined;
  reader.only(pod, "next.pod.", ["act", "container", "exitCode", "reason", "message"]);
  const act = reader.oneOf(pod, "act", "next.pod.", acts);
  if (act === undefined) reader.fault("next.pod.act", `one of ${acts.join(", ")} was expected`);
  return present<PodAction>({
    act: act ?? "observe",
    container: reader.text(pod, "container", "next.pod."),
    exitCode: reader.count(pod, "exitCode", "next.pod."),
    reason: reader.text(pod, "reason", "next.pod."),
    message: reader.text(pod, "message", "next.pod."),
  });
}

/** Reads a patch. KWOK has the same form. */
export function readPatch(patch: JsonObject, reader: FieldReader, at: string): StagePatch {
  reader.only(patch, at, ["subresource", "root", "template", "type"]);
  const template = reader.text(patch, "template", at);
  if (!template) reader.fault(`${at}template`, "a template was expected");
  return present<StagePatch>({
    subresource: reader.text(patch, "subresource", at),
    type: reader.oneOf(patch, "type", at, ["json", "merge", "strategic"]) ?? "merge",
    root: reader.text(patch, "root", at),
    template: template ?? "",
  });
}

/** Reads an event. KWOK has the same form. */
export function readEvent(
  event: JsonObject | undefined,
  reader: FieldReader,
  at: string,
): StageEffect["event"] {
  if (!event) return undefined;
  reader.only(event, at, ["type", "reason", "message"]);
  return {
    type: reader.oneOf(event, "type", at, ["Normal", "Warning"]) ?? "Normal",
    reason: reader.text(event, "reason", at) ?? "",
    message: reader.text(event, "message", at) ?? "",
  };
}
