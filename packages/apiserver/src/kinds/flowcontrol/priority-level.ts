// Priority levels: how many requests of a level run at once, and whether others wait or are
// rejected. This server does not queue requests.
// Upstream: k8s.io/kubernetes/pkg/apis/flowcontrol/{v1/defaults.go,validation/validation.go}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "homeostat/k8s/flowcontrol/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { flowControlStrategy } from "./flow-control-strategy.ts";
import { fixedLevelErrors } from "./mandatory-flows.ts";

const keepZeroAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
const maxQueues = 10_000_000;
const maxEntropyBits = 60;

export const priorityLevelConfiguration: KindDefinition<Decoded<PriorityLevelConfiguration>> = {
  ...gvk("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"),
  defaults(object) {
    const { exempt, limited } = object.spec ?? {};
    if (exempt) setShares(exempt, 0);
    if (limited) setShares(limited, 30);
    const queuing = limited?.limitResponse?.queuing;
    if (!queuing) return;
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  },
  ...flowControlStrategy(validate),
  cells,
};

type LevelConfiguration =
  | Decoded<ExemptPriorityLevelConfiguration>
  | Decoded<LimitedPriorityLevelConfiguration>;

function setShares(level: LevelConfiguration, shares: number): void {
  level.nominalConcurrencyShares ??= shares;
  level.lendablePercent ??= 0;
}

function validate(object: Decoded<PriorityLevelConfiguration>): FieldError[] {
  const annotated = metadataOf(object).annotations?.[keepZeroAnnotation] !== undefined;
  return [
    ...errorIf(annotated, () =>
      fieldError.forbidden(
        "metadata.annotations",
        `annotation '${keepZeroAnnotation}' is forbidden`,
      ),
    ),
    ...specErrors(object.spec ?? {}, nameOf(object)),
    ...fixedLevelErrors(object),
  ];
}

function specErrors(spec: Decoded<PriorityLevelConfigurationSpec>, name: string): FieldError[] {
  const type = spec.type ?? "";
  const { limited, exempt } = spec;
  const errors = errorIf((name === "exempt") !== (type === "Exempt"), () =>
    fieldError.invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'"),
  );
  if (type === "Exempt")
    return [
      ...errors,
      ...errorIf(isSet(limited), () =>
        fieldError.forbidden("spec.limited", "must be nil if the type is not Limited"),
      ),
      ...(exempt
        ? [...sharesErrors(exempt, "spec.exempt"), ...lendableErrors(exempt, "spec.exempt")]
        : []),
    ];
  if (type !== "Limited")
    return [
      ...errors,
      type
        ? fieldError.notSupported("spec.type", type, ["Exempt", "Limited"])
        : fieldError.required("spec.type", ""),
    ];
  if (isSet(exempt))
    errors.push(fieldError.forbidden("spec.exempt", "must be nil if the type is Limited"));
  return [
    ...errors,
    ...(limited
      ? limitedErrors(limited, "spec.limited")
      : [fieldError.required("spec.limited", "must not be empty when type is Limited")]),
  ];
}

const sharesErrors = (level: LevelConfiguration, path: string): FieldError[] =>
  errorIf((level.nominalConcurrencyShares ?? 0) < 0, () =>
    fieldError.invalid(
      `${path}.nominalConcurrencyShares`,
      level.nominalConcurrencyShares ?? 0,
      "must be a non-negative integer",
    ),
  );
const lendableErrors = (level: LevelConfiguration, path: string): FieldError[] =>
  errorIf((level.lendablePercent ?? 0) < 0 || (level.lendablePercent ?? 0) > 100, () =>
    fieldError.invalid(
      `${path}.lendablePercent`,
      level.lendablePercent ?? 0,
      "must be between 0 and 100, inclusive",
    ),
  );

function limitedErrors(
  limited: Decoded<LimitedPriorityLevelConfiguration>,
  path: string,
): FieldError[] {
  const borrowing = limited.borrowingLimitPercent ?? 0;
  return [
    ...sharesErrors(limited, path),
    ...responseErrors(limited.limitResponse ?? {}, `${path}.limitResponse`),
    ...lendableErrors(limited, path),
    ...errorIf(borrowing < 0, () =>
      fieldError.invalid(
        `${path}.borrowingLimitPercent`,
        borrowing,
        "if specified, must be a non-negative integer",
      ),
    ),
  ];
}

function responseErrors(response: Decoded<LimitResponse>, path: string): FieldError[] {
  const type = response.type ?? "";
  const { queuing } = response;
  if (type === "Reject")
    return errorIf(isSet(queuing), () =>
      fieldError.forbidden(
        `${path}.queuing`,
        "must be nil if limited.limitResponse.type is not Limited",
      ),
    );
  if (type === "Queue")
    return queuing
      ? queuingErrors(queuing, `${path}.queuing`)
      : [
          fieldError.required(
            `${path}.queuing`,
            "must not be empty if limited.limitResponse.type is Limited",
          ),
        ];
  return [
    type
      ? fieldError.notSupported(`${path}.type`, type, ["Queue", "Reject"])
      : fieldError.required(`${path}.type`, ""),
  ];
}

function queuingErrors(queuing: Decoded<QueuingConfiguration>, path: string): FieldError[] {
  const queues = queuing.queues ?? 0;
  const hand = queuing.handSize ?? 0;
  const length = queuing.queueLengthLimit ?? 0;
  const errors: FieldError[] = [];
  if (length <= 0)
    errors.push(fieldError.invalid(`${path}.queueLengthLimit`, length, "must be positive"));
  if (queues <= 0) errors.push(fieldError.invalid(`${path}.queues`, queues, "must be positive"));
  else if (queues > maxQueues)
    errors.push(
      fieldError.invalid(`${path}.queues`, queues, `must not be greater than ${maxQueues}`),
    );
  const entropy = Math.ceil(Math.log2(queues) * hand);
  if (hand <= 0) errors.push(fieldError.invalid(`${path}.handSize`, hand, "must be positive"));
  else if (hand > queues)
    errors.push(
      fieldError.invalid(`${path}.handSize`, hand, `should not be greater than queues (${queues})`),
    );
  else if (entropy > maxEntropyBits)
    errors.push(
      fieldError.invalid(
        `${path}.handSize`,
        hand,
        `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${maxEntropyBits}`,
      ),
    );
  return errors;
}

function cells(object: Decoded<PriorityLevelConfiguration>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const limited = spec.limited;
  const queuing = limited?.limitResponse?.queuing;
  const queued = (field: keyof QueuingConfiguration): Json =>
    queuing ? (queuing[field] ?? 0) : "<none>";
  return [
    nameOf(object),
    spec.type ?? "",
    limited ? (limited.nominalConcurrencyShares ?? 0) : "<none>",
    queued("queues"),
    queued("handSize"),
    queued("queueLengthLimit"),
    ageOf(object, ages),
  ];
}
