// Events in both groups, stored once in the core form. The old group is checked leniently, the new
// one strictly.
// Upstream: k8s.io/kubernetes/pkg/registry/core/event/strategy.go,
// pkg/apis/core/validation/events.go, pkg/apis/events/v1/conversion.go,
// pkg/apis/core/v1/conversion.go (AddFieldLabelConversionsForEvent), pkg/printers/internalversion.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type {
  KindDefinition,
  StrategyOverrides,
  SelectableFieldsDefinition,
} from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { formatAge, nameOf } from "../printers/cells.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { validateEvent, validateEventChange, validateNewEvent } from "./validate-event.ts";

const referenceFields = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
] as const;

/** Names in events.k8s.io/v1 and in core/v1, where they differ. */
const renamed: readonly (readonly [string, string])[] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
  ["reportingController", "reportingComponent"],
];

const commonRules: StrategyOverrides = { allowCreateOnUpdate: true };

/** Event in the legacy group. */
export const coreEvent: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Event",
  strategy: {
    ...commonRules,
    validateName: () => [],
    validateCreate: (object) => validateEvent(object, "reportingComponent"),
    validateUpdate: (object) => validateEvent(object, "reportingComponent"),
  },
  selectable: selectable(
    [
      ...referenceFields.map((field) => `involvedObject.${field}`),
      "reason",
      "reportingComponent",
      "source",
      "type",
    ],
    (name) => name,
  ),
  cells,
};

/** Event in events.k8s.io. */
export const event: KindDefinition = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  storage: {
    group: "",
    version: "v1",
    fromStorage: (stored) =>
      rename(
        stored,
        (name) => name[1],
        (name) => name[0],
      ),
    toStorage: toCore,
  },
  strategy: {
    ...commonRules,
    validateName: nameIsDnsSubdomain,
    validateCreate: validateNewEvent,
    validateUpdate: validateEventChange,
  },
  selectable: selectable(
    [
      ...referenceFields.map((field) => `regarding.${field}`),
      "reason",
      "reportingController",
      "type",
    ],
    (name) =>
      name === "reportingController"
        ? "reportingComponent"
        : name.replace(/^regarding\./, "involvedObject."),
  ),
  cells: (object, nowMs) => cells(toCore(object), nowMs),
};

function toCore(object: JsonObject): JsonObject {
  return rename(
    object,
    (name) => name[0],
    (name) => name[1],
  );
}

type Pick2 = (name: readonly [string, string]) => string;

function rename(object: JsonObject, from: Pick2, to: Pick2): JsonObject {
  const out = { ...object };
  for (const name of renamed) {
    delete out[from(name)];
    const value = object[from(name)];
    if (value !== undefined) out[to(name)] = value;
  }
  return out;
}

function selectable(
  names: readonly string[],
  attributeName: (name: string) => string,
): SelectableFieldsDefinition {
  return { names, attributeName, extract };
}

/**
 * Facts under their core names; `source` is the component, of the reporter where there is no
 * old-style source.
 */
function extract(object: JsonObject): Readonly<Record<string, string>> {
  const about = objectAt(object, "involvedObject");
  const reporter = stringAt(object, "reportingComponent");
  return {
    ...Object.fromEntries(
      referenceFields.map((field) => [`involvedObject.${field}`, stringAt(about, field)]),
    ),
    reason: stringAt(object, "reason"),
    reportingComponent: reporter,
    source: stringAt(objectAt(object, "source"), "component") || reporter,
    type: stringAt(object, "type"),
  };
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const about = objectAt(object, "involvedObject");
  const series = object["series"];
  const first = formatAge(object["firstTimestamp"] ?? object["eventTime"], nowMs);
  const last = isObject(series)
    ? formatAge(series["lastObservedTime"], nowMs)
    : object["lastTimestamp"]
      ? formatAge(object["lastTimestamp"], nowMs)
      : first;
  const count = isObject(series) ? (series["count"] ?? 0) : (object["count"] ?? 1);
  const kind = stringAt(about, "kind").toLowerCase();
  const name = stringAt(about, "name");
  return [
    last,
    stringAt(object, "type"),
    stringAt(object, "reason"),
    name ? `${kind}/${name}` : kind,
    stringAt(about, "fieldPath"),
    sourceOf(object),
    stringAt(object, "message").trim(),
    first,
    count,
    nameOf(object),
  ];
}

function sourceOf(object: JsonObject): string {
  const source = objectAt(object, "source");
  const component = stringAt(source, "component") || stringAt(object, "reportingComponent");
  const instance = stringAt(source, "host") || stringAt(object, "reportingInstance");
  return instance ? `${component}, ${instance}` : component;
}
