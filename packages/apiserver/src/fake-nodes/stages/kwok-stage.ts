// Converts a KWOK Stage to a stage of stage.ts. Reports unsupported fields: jq beyond plain paths,
// CEL, impersonation. Pure.
// Upstream: sigs.k8s.io/kwok/pkg/apis/v1alpha1/stage_types.go.
import { isObject } from "homeostat/api";
import {
  count,
  fields,
  listOf,
  mapped,
  named,
  nonEmpty,
  object,
  orEmpty,
  type Reader,
  required,
  text,
  textMap,
  whenTrue,
  withDefault,
} from "./field-readers.ts";
import { event, finalizers, patch, requirement } from "./read-stage.ts";
import type { Stage, StageDelay, StageEffect, StageRequirement, StageSelector } from "./stage.ts";

export const kwokGroup = "kwok.x-k8s.io";

/** The path in a field such as `weightFrom`: its older form is text, the newer one is in `jq`. */
const pathFrom = mapped(
  fields<{ readonly expressionFrom?: string; readonly jq?: { readonly expression?: string } }>({
    expressionFrom: text,
    jq: fields<{ readonly expression?: string }>({ expression: text }, { others: "open" }),
  }),
  ({ expressionFrom, jq }) => (jq ? jq.expression : expressionFrom),
);

/** The older form has the path beside the operator, the newer one under `jq`. */
const expression: Reader<StageRequirement> = (value, at, faults) =>
  isObject(value) && isObject(value["jq"])
    ? jqExpression(value, at, faults)?.jq
    : keyExpression(value, at, faults);
const keyExpression = requirement("key");
const jqExpression = fields<{ readonly jq: StageRequirement }>({ jq: requirement("expression") });

const selector = fields<StageSelector>({
  labels: named("matchLabels", textMap),
  annotations: named("matchAnnotations", textMap),
  fields: named("matchExpressions", listOf(expression)),
});

const delay = fields<Omit<StageDelay, "backOff">>({
  ms: named("durationMilliseconds", count),
  from: named("durationFrom", pathFrom),
  jitterToMs: named("jitterDurationMilliseconds", count),
  jitterFrom: named("jitterDurationFrom", pathFrom),
});

const names = mapped(listOf(object), (items) => items.map(({ value }) => String(value)));

const onlyStatus: Reader<never> = (value, at, faults) => {
  if ((text(value, at, faults) ?? "status") !== "status")
    faults.push(`${at}: only status is supported; use patches for others`);
  return undefined;
};

const effect = fields<Omit<StageEffect, "pod" | "status"> & { readonly statusSubresource?: never }>(
  {
    event,
    finalizers: finalizers(names),
    delete: whenTrue,
    statusTemplate: nonEmpty,
    statusSubresource: onlyStatus,
    patches: listOf(patch),
  },
);

const spec = fields<
  Omit<Stage, "name" | "replacesBuiltIn"> & { readonly immediateNextStage?: never }
>({
  for: named(
    "resourceRef",
    orEmpty(
      fields<Stage["for"]>({
        apiVersion: named("apiGroup", withDefault(text, "v1")),
        kind: required(text, "a kind was expected"),
      }),
    ),
  ),
  when: named("selector", selector),
  weight: withDefault(count, 0),
  weightFrom: pathFrom,
  after: named("delay", delay),
  next: effect,
  // Saves KWOK a round trip. It has no effect here.
  immediateNextStage: () => undefined,
});

const document = fields<{
  readonly metadata?: { readonly name?: string };
  readonly spec: Omit<Stage, "name" | "replacesBuiltIn">;
}>(
  { metadata: fields({ name: text }, { others: "open" }), spec: orEmpty(spec) },
  { others: "open" },
);

/** Reads a KWOK Stage. KWOK has no built-in stages, so that it replaces ours. */
export const readKwokStage: Reader<Stage> = mapped(document, ({ metadata, spec: stage }) => ({
  name: metadata?.name ?? "",
  ...stage,
  replacesBuiltIn: true,
}));
