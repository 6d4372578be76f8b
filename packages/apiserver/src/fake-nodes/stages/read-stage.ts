// Reads a stage (stage.ts) from a parsed document. Pure.
import {
  count,
  fields,
  listOf,
  named,
  nonEmpty,
  object,
  oneOf,
  orEmpty,
  type Reader,
  required,
  text,
  textMap,
  texts,
  whenTrue,
  withDefault,
} from "./field-readers.ts";
import type { PodAction, Stage, StageEffect, StagePatch, StageRequirement } from "./stage.ts";

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
const acts = ["create", "initialize", "start", "crash", "end", "stop", "evict", "observe"] as const;

/** Reads a requirement. `path` is the name of the field that holds the path. */
export function requirement(path: string): Reader<StageRequirement> {
  const read = fields<StageRequirement>({
    path: named(path, withDefault(text, "")),
    operator: required(oneOf(operators), `one of ${operators.join(", ")} was expected`),
    values: texts,
  });
  return (value, at, faults) => {
    const found = read(value, at, faults);
    if (!found) return undefined;
    const { values, ...plain } = found;
    const takesValues = plain.operator === "In" || plain.operator === "NotIn";
    if (takesValues !== Boolean(values?.length))
      faults.push(
        `${at}.values: ${plain.operator} ${takesValues ? "needs values" : "takes no values"}`,
      );
    return takesValues ? found : plain;
  };
}

/** Reads a patch. KWOK has the same form. */
export const patch = fields<StagePatch>({
  subresource: text,
  root: text,
  template: required(nonEmpty, "a template was expected"),
  type: withDefault(oneOf(["json", "merge", "strategic"]), "merge"),
});

/** Reads an event. KWOK has the same form. */
export const event = fields<NonNullable<StageEffect["event"]>>({
  type: withDefault(oneOf(["Normal", "Warning"]), "Normal"),
  reason: withDefault(text, ""),
  message: withDefault(text, ""),
});

/** Reads changes of finalizers, whose lists `names` reads. */
export const finalizers = (
  names: Reader<readonly string[]>,
): Reader<NonNullable<StageEffect["finalizers"]>> =>
  fields<NonNullable<StageEffect["finalizers"]>>({ add: names, remove: names, empty: whenTrue });

const action = fields<PodAction>({
  act: required(oneOf(acts), `one of ${acts.join(", ")} was expected`),
  container: text,
  exitCode: count,
  reason: text,
  message: text,
});

/** Reads a stage. */
export const readStage: Reader<Stage> = fields<Stage>({
  name: required(nonEmpty, "a name was expected"),
  for: orEmpty(
    fields<Stage["for"]>({
      apiVersion: withDefault(text, "v1"),
      kind: required(text, "a kind was expected, e.g. Pod"),
    }),
  ),
  when: fields({ labels: textMap, annotations: textMap, fields: listOf(requirement("path")) }),
  after: fields({
    ms: count,
    from: text,
    jitterToMs: count,
    jitterFrom: text,
    backOff: fields({ count: withDefault(text, ""), maxMs: withDefault(count, 300_000) }),
  }),
  weight: count,
  weightFrom: text,
  replacesBuiltIn: whenTrue,
  next: fields<StageEffect>({
    pod: action,
    status: object,
    statusTemplate: text,
    patches: listOf(patch),
    event,
    finalizers: finalizers(texts),
    delete: whenTrue,
  }),
});
