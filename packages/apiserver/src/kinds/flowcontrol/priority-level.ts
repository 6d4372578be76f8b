// Priority levels: how many requests of a level run at once, and what becomes of the rest. Requests
// are not queued here.
// Upstream: k8s.io/kubernetes/pkg/apis/flowcontrol/{v1/defaults.go,validation/validation.go}.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  mutableAt,
  numberAt,
  setIfEmpty,
  setIfNil,
  textMapAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { flowRules } from "./flow-rules.ts";
import { fixedLevelErrors } from "./mandatory-flows.ts";

const keepZeroAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
const maxQueues = 10_000_000;
const maxEntropyBits = 60;

export const priorityLevelConfiguration: KindDefinition = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  defaults(object) {
    const spec = objectAt(object, "spec");
    setShares(mutableAt(spec, "exempt"), 0);
    const limited = mutableAt(spec, "limited");
    setShares(limited, 30);
    const queuing = mutableAt(objectAt(limited ?? {}, "limitResponse"), "queuing");
    if (!queuing) return;
    setIfEmpty(queuing, "queues", 64);
    setIfEmpty(queuing, "handSize", 8);
    setIfEmpty(queuing, "queueLengthLimit", 50);
  },
  ...flowRules("PriorityLevelConfiguration", validate),
  cells,
};

function setShares(level: JsonObject | undefined, shares: number): void {
  if (!level) return;
  setIfNil(level, "nominalConcurrencyShares", shares);
  setIfNil(level, "lendablePercent", 0);
}

function validate(object: JsonObject): FieldError[] {
  const annotated = textMapAt(metadataOf(object), "annotations")[keepZeroAnnotation] !== undefined;
  return [
    ...(annotated
      ? [forbidden("metadata.annotations", `annotation '${keepZeroAnnotation}' is forbidden`)]
      : []),
    ...specErrors(objectAt(object, "spec"), nameOf(object)),
    ...fixedLevelErrors(object),
  ];
}

function specErrors(spec: JsonObject, name: string): FieldError[] {
  const type = stringAt(spec, "type");
  const { limited, exempt } = spec;
  const errors =
    (name === "exempt") === (type === "Exempt")
      ? []
      : [invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'")];
  if (type === "Exempt")
    return [
      ...errors,
      ...(isSet(limited)
        ? [forbidden("spec.limited", "must be nil if the type is not Limited")]
        : []),
      ...(isObject(exempt) ? shareErrors(exempt, "spec.exempt") : []),
    ];
  if (type !== "Limited")
    return [
      ...errors,
      type ? notSupported("spec.type", type, ["Exempt", "Limited"]) : required("spec.type", ""),
    ];
  if (isSet(exempt)) errors.push(forbidden("spec.exempt", "must be nil if the type is Limited"));
  return [
    ...errors,
    ...(isObject(limited)
      ? limitedErrors(limited, "spec.limited")
      : [required("spec.limited", "must not be empty when type is Limited")]),
  ];
}

function shareErrors(level: JsonObject, path: string): FieldError[] {
  return [...sharesErrors(level, path), ...lendableErrors(level, path)];
}

const sharesErrors = (level: JsonObject, path: string): FieldError[] =>
  numberAt(level, "nominalConcurrencyShares") < 0
    ? [
        invalid(
          `${path}.nominalConcurrencyShares`,
          numberAt(level, "nominalConcurrencyShares"),
          "must be a non-negative integer",
        ),
      ]
    : [];
const lendableErrors = (level: JsonObject, path: string): FieldError[] =>
  numberAt(level, "lendablePercent") < 0 || numberAt(level, "lendablePercent") > 100
    ? [
        invalid(
          `${path}.lendablePercent`,
          numberAt(level, "lendablePercent"),
          "must be between 0 and 100, inclusive",
        ),
      ]
    : [];

function limitedErrors(limited: JsonObject, path: string): FieldError[] {
  const borrowing = numberAt(limited, "borrowingLimitPercent");
  return [
    ...sharesErrors(limited, path),
    ...responseErrors(objectAt(limited, "limitResponse"), `${path}.limitResponse`),
    ...lendableErrors(limited, path),
    ...(borrowing < 0
      ? [
          invalid(
            `${path}.borrowingLimitPercent`,
            borrowing,
            "if specified, must be a non-negative integer",
          ),
        ]
      : []),
  ];
}

function responseErrors(response: JsonObject, path: string): FieldError[] {
  const type = stringAt(response, "type");
  const { queuing } = response;
  if (type === "Reject")
    return isSet(queuing)
      ? [forbidden(`${path}.queuing`, "must be nil if limited.limitResponse.type is not Limited")]
      : [];
  if (type === "Queue")
    return isObject(queuing)
      ? queuingErrors(queuing, `${path}.queuing`)
      : [required(`${path}.queuing`, "must not be empty if limited.limitResponse.type is Limited")];
  return [
    type ? notSupported(`${path}.type`, type, ["Queue", "Reject"]) : required(`${path}.type`, ""),
  ];
}

function queuingErrors(queuing: JsonObject, path: string): FieldError[] {
  const [queues, hand, length] = [
    numberAt(queuing, "queues"),
    numberAt(queuing, "handSize"),
    numberAt(queuing, "queueLengthLimit"),
  ];
  const errors: FieldError[] = [];
  if (length <= 0) errors.push(invalid(`${path}.queueLengthLimit`, length, "must be positive"));
  if (queues <= 0) errors.push(invalid(`${path}.queues`, queues, "must be positive"));
  else if (queues > maxQueues)
    errors.push(invalid(`${path}.queues`, queues, `must not be greater than ${maxQueues}`));
  const entropy = Math.ceil(Math.log2(queues) * hand);
  if (hand <= 0) errors.push(invalid(`${path}.handSize`, hand, "must be positive"));
  else if (hand > queues)
    errors.push(invalid(`${path}.handSize`, hand, `should not be greater than queues (${queues})`));
  else if (entropy > maxEntropyBits)
    errors.push(
      invalid(
        `${path}.handSize`,
        hand,
        `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${maxEntropyBits}`,
      ),
    );
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const limited = spec["limited"];
  const queuing = isObject(limited) ? objectAt(limited, "limitResponse")["queuing"] : undefined;
  const queued = (field: string): Json => (isObject(queuing) ? numberAt(queuing, field) : "<none>");
  return [
    nameOf(object),
    stringAt(spec, "type"),
    isObject(limited) ? numberAt(limited, "nominalConcurrencyShares") : "<none>",
    queued("queues"),
    queued("handSize"),
    queued("queueLengthLimit"),
    ageOf(object, nowMs),
  ];
}
