// Events of both groups, stored as core/v1. Validation of core/v1 is lenient, that of events.k8s.io
// strict.
// Upstream: k8s.io/kubernetes/pkg/registry/core/event/strategy.go,
// pkg/apis/core/validation/events.go, pkg/apis/events/v1/conversion.go,
// pkg/apis/core/v1/conversion.go (AddFieldLabelConversionsForEvent), pkg/printers/internalversion.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type { Event as CoreEvent } from "homeostat/k8s/core/v1";
import type { Event } from "homeostat/k8s/events/v1";
import {
  gvk,
  type KindDefinition,
  type StrategyOverrides,
  type SelectableFieldsDefinition,
} from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { formatAge, nameOf } from "../printers/cells.ts";
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
const renamed: readonly (readonly [keyof Event, keyof CoreEvent])[] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
  ["reportingController", "reportingComponent"],
];

const commonStrategy: StrategyOverrides = { allowCreateOnUpdate: true };

/** Event in the legacy group. */
export const coreEvent: KindDefinition<Decoded<CoreEvent>> = {
  ...gvk("v1", "Event"),
  watchCache: "none",
  strategy: {
    ...commonStrategy,
    metadataChanges: "common",
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

/** Event in events.k8s.io; its strategy sees the stored form. */
export const event: KindDefinition<Decoded<CoreEvent>> = {
  ...gvk("events.k8s.io/v1", "Event"),
  watchCache: "none",
  storage: {
    group: "",
    version: "v1",
    fromStorage: (stored) => rename(stored, ([name, coreName]) => [coreName, name]),
    toStorage: toCore,
  },
  strategy: {
    ...commonStrategy,
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
  cells: (object, ages) => cells(toCore(object), ages),
};

function toCore(object: JsonObject): JsonObject {
  return rename(object, (names) => names);
}

/** The object with each field that `direction` names under its other name. */
function rename(
  object: JsonObject,
  direction: (names: (typeof renamed)[number]) => readonly [from: string, to: string],
): JsonObject {
  const out = { ...object };
  for (const names of renamed) {
    const [from, to] = direction(names);
    delete out[from];
    const value = object[from];
    if (value !== undefined) out[to] = value;
  }
  return out;
}

function selectable(
  names: readonly string[],
  attributeName: (name: string) => string,
): SelectableFieldsDefinition<Decoded<CoreEvent>> {
  return { names, attributeName, extract };
}

/** Values by their core names; `source` is source.component, or else the reporting component. */
function extract(object: Decoded<CoreEvent>): Readonly<Record<string, string>> {
  const about = object.involvedObject ?? {};
  const reporter = object.reportingComponent ?? "";
  return {
    ...Object.fromEntries(
      referenceFields.map((field) => [`involvedObject.${field}`, about[field] ?? ""]),
    ),
    reason: object.reason ?? "",
    reportingComponent: reporter,
    source: object.source?.component || reporter,
    type: object.type ?? "",
  };
}

function cells(object: Decoded<CoreEvent>, ages: CellAges): readonly Json[] {
  const about = object.involvedObject ?? {};
  const series = object.series;
  const first = object.firstTimestamp ?? object.eventTime;
  const last = series ? series.lastObservedTime : object.lastTimestamp || first;
  const count = series ? (series.count ?? 0) : (object.count ?? 1);
  const kind = (about.kind ?? "").toLowerCase();
  const name = about.name ?? "";
  return [
    formatAge(last, ages),
    object.type ?? "",
    object.reason ?? "",
    name ? `${kind}/${name}` : kind,
    about.fieldPath ?? "",
    sourceOf(object),
    (object.message ?? "").trim(),
    formatAge(first, ages),
    count,
    nameOf(object),
  ];
}

function sourceOf(object: Decoded<CoreEvent>): string {
  const component = object.source?.component || (object.reportingComponent ?? "");
  const instance = object.source?.host || object.reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
