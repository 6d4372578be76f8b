// Rules for events, on the core form. Error paths keep the core names even for events.k8s.io, as
// upstream's do.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/events.go.
import {
  dnsSubdomainFaults,
  equalJson,
  isObject,
  type JsonObject,
  labelKeyFaults,
} from "homeostat/api";
import { type FieldError, invalid, required } from "../../apimachinery/errors/field-error.ts";

import { finalizerErrors, immutable, immutableInternal } from "../definition/default-strategy.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

/**
 * What the old group asks for, create and update alike. `reporter` is the field name in the
 * request's version.
 */
export function validateEvent(object: JsonObject, reporter: string): FieldError[] {
  const namespace = stringAt(metadataOf(object), "namespace");
  return [
    ...(object["eventTime"] ? newStyle(object, namespace, reporter) : oldStyle(object, namespace)),
    ...dnsSubdomainFaults(namespace).map((text) => invalid("namespace", namespace, text)),
  ];
}

/** Create through events.k8s.io. */
export function validateNewEvent(object: JsonObject): FieldError[] {
  const type = stringAt(object, "type");
  const source = objectAt(object, "source");
  const unset = (field: string, set: boolean): FieldError[] =>
    set ? [invalid(field, "", "needs to be unset")] : [];
  return [
    ...validateEvent(object, "reportingController"),
    ...finalizerErrors(object),
    ...seriesErrors(object),
    ...(object["eventTime"] ? [] : [required("eventTime", "")]),
    ...(type === "Normal" || type === "Warning"
      ? []
      : [invalid("type", "", `has invalid value: ${type}`)]),
    ...unset("firstTimestamp", Boolean(object["firstTimestamp"])),
    ...unset("lastTimestamp", Boolean(object["lastTimestamp"])),
    ...unset("count", Boolean(object["count"])),
    ...unset("source", Boolean(stringAt(source, "component") || stringAt(source, "host"))),
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
export function validateEventChange(object: JsonObject, old: JsonObject): FieldError[] {
  return [
    ...validateEvent(object, "reportingController"),
    ...finalizerErrors(object),
    ...(equalJson(object["series"], old["series"]) ? [] : seriesErrors(object)),
    ...frozenField("involvedObject", object, old),
    ...frozen.flatMap((field) => frozenField(field, object, old)),
    ...immutable("reportingController", object["reportingComponent"], old["reportingComponent"]),
    ...immutable("reportingInstance", object["reportingInstance"], old["reportingInstance"]),
  ];
}

/** Upstream's types of the fields that are no plain strings. */
const frozenTypes: Readonly<Record<string, string>> = {
  involvedObject: "core.ObjectReference",
  related: "*core.ObjectReference",
  source: "core.EventSource",
  firstTimestamp: "@Time",
  lastTimestamp: "@Time",
  eventTime: "@Time",
  count: "int",
};

function frozenField(field: string, object: JsonObject, old: JsonObject): FieldError[] {
  const type = frozenTypes[field];
  return type === undefined
    ? immutable(field, object[field] ?? "", old[field] ?? "")
    : immutableInternal(field, [type, object[field]], old[field]);
}

function oldStyle(object: JsonObject, namespace: string): FieldError[] {
  const about = stringAt(objectAt(object, "involvedObject"), "namespace");
  const agrees = about ? about === namespace : namespace === "" || namespace === "default";
  return agrees
    ? []
    : [invalid("involvedObject.namespace", about, "does not match event.namespace")];
}

function newStyle(object: JsonObject, namespace: string, reporter: string): FieldError[] {
  const about = stringAt(objectAt(object, "involvedObject"), "namespace");
  const controller = stringAt(object, "reportingComponent");
  return [
    ...(!about && namespace !== "default" && namespace !== "kube-system"
      ? [invalid("involvedObject.namespace", about, "does not match event.namespace")]
      : []),
    ...(controller ? [] : [required(reporter, "")]),
    ...labelKeyFaults(controller).map((text) => invalid(reporter, controller, text)),
    ...["reportingInstance", "action", "reason"].flatMap((field) => [
      ...(stringAt(object, field) ? [] : [required(field, "")]),
      ...atMost(object, field, 128),
    ]),
    ...atMost(object, "message", 1024),
  ];
}

function atMost(object: JsonObject, field: string, bytes: number): FieldError[] {
  return Buffer.byteLength(stringAt(object, field)) > bytes
    ? [invalid(field, "", `can have at most ${bytes} characters`)]
    : [];
}

function seriesErrors(object: JsonObject): FieldError[] {
  const series = object["series"];
  if (!isObject(series)) return [];
  return [
    ...(Number(series["count"] ?? 0) < 2
      ? [invalid("series.count", "", "should be at least 2")]
      : []),
    ...(series["lastObservedTime"] ? [] : [required("series.lastObservedTime", "")]),
  ];
}
