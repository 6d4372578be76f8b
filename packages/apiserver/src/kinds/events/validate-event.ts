// Validates events as core/v1 stores them. Error paths have the core names even for events.k8s.io,
// as upstream's do.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/events.go.
import { type Decoded, dnsSubdomainFaults, equalJson, labelKeyFaults } from "homeostat/api";
import type { Event } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";

import { finalizerErrors, immutable, immutableInternal } from "../validation/validate-object.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

/**
 * The validation of core/v1, on create and update alike. `reporter` is the name of
 * reportingComponent in the request's version.
 */
export function validateEvent(object: Decoded<Event>, reporter: string): FieldError[] {
  const namespace = metadataOf(object).namespace ?? "";
  return [
    ...(object.eventTime
      ? newEventErrors(object, namespace, reporter)
      : legacyEventErrors(object, namespace)),
    ...dnsSubdomainFaults(namespace).map((text) =>
      fieldError.invalid("namespace", namespace, text),
    ),
  ];
}

/** Create through events.k8s.io. */
export function validateNewEvent(object: Decoded<Event>): FieldError[] {
  const type = object.type ?? "";
  const unset = (field: string, set: boolean): FieldError[] =>
    errorIf(set, () => fieldError.invalid(field, "", "needs to be unset"));
  return [
    ...validateEvent(object, "reportingController"),
    ...finalizerErrors(object),
    ...seriesErrors(object),
    ...errorIf(!object.eventTime, () => fieldError.required("eventTime", "")),
    ...errorIf(type !== "Normal" && type !== "Warning", () =>
      fieldError.invalid("type", "", `has invalid value: ${type}`),
    ),
    ...unset("firstTimestamp", Boolean(object.firstTimestamp)),
    ...unset("lastTimestamp", Boolean(object.lastTimestamp)),
    ...unset("count", Boolean(object.count)),
    ...unset("source", Boolean(object.source?.component || object.source?.host)),
  ];
}

const frozen = [
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
] as const;

/** Update through events.k8s.io: only the series and metadata may change. */
export function validateEventChange(object: Decoded<Event>, old: Decoded<Event>): FieldError[] {
  return [
    ...validateEvent(object, "reportingController"),
    ...finalizerErrors(object),
    ...(equalJson(object.series, old.series) ? [] : seriesErrors(object)),
    ...frozenField("involvedObject", object, old),
    ...frozen.flatMap((field) => frozenField(field, object, old)),
    ...immutable("reportingController", object.reportingComponent, old.reportingComponent),
    ...immutable("reportingInstance", object.reportingInstance, old.reportingInstance),
  ];
}

/** Upstream's types of the fields that are no plain strings. */
const frozenTypes: Readonly<Partial<Record<keyof Event, string>>> = {
  involvedObject: "core.ObjectReference",
  related: "*core.ObjectReference",
  source: "core.EventSource",
  firstTimestamp: "@Time",
  lastTimestamp: "@Time",
  eventTime: "@Time",
  count: "int",
};

function frozenField(
  field: keyof Event,
  object: Decoded<Event>,
  old: Decoded<Event>,
): FieldError[] {
  const type = frozenTypes[field];
  return type === undefined
    ? immutable(field, object[field] ?? "", old[field] ?? "")
    : immutableInternal(field, [type, object[field]], old[field]);
}

function legacyEventErrors(object: Decoded<Event>, namespace: string): FieldError[] {
  const about = object.involvedObject?.namespace ?? "";
  const agrees = about ? about === namespace : namespace === "" || namespace === "default";
  return errorIf(!agrees, () =>
    fieldError.invalid("involvedObject.namespace", about, "does not match event.namespace"),
  );
}

function newEventErrors(object: Decoded<Event>, namespace: string, reporter: string): FieldError[] {
  const about = object.involvedObject?.namespace ?? "";
  const controller = object.reportingComponent ?? "";
  return [
    ...errorIf(!about && namespace !== "default" && namespace !== "kube-system", () =>
      fieldError.invalid("involvedObject.namespace", about, "does not match event.namespace"),
    ),
    ...errorIf(!controller, () => fieldError.required(reporter, "")),
    ...labelKeyFaults(controller).map((text) => fieldError.invalid(reporter, controller, text)),
    ...(["reportingInstance", "action", "reason"] as const).flatMap((field) => [
      ...errorIf(!object[field], () => fieldError.required(field, "")),
      ...atMost(object, field, 128),
    ]),
    ...atMost(object, "message", 1024),
  ];
}

type TextField = "reportingInstance" | "action" | "reason" | "message";

function atMost(object: Decoded<Event>, field: TextField, bytes: number): FieldError[] {
  return errorIf(Buffer.byteLength(object[field] ?? "") > bytes, () =>
    fieldError.invalid(field, "", `can have at most ${bytes} characters`),
  );
}

function seriesErrors(object: Decoded<Event>): FieldError[] {
  const series = object.series;
  if (!series) return [];
  return [
    ...errorIf((series.count ?? 0) < 2, () =>
      fieldError.invalid("series.count", "", "should be at least 2"),
    ),
    ...errorIf(!series.lastObservedTime, () => fieldError.required("series.lastObservedTime", "")),
  ];
}
