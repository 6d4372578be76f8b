// Pods: their own defaults and conditions, a generation, graceful deletion, and many endpoints.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go,
// pkg/registry/core/pod/storage/storage.go.
import { cloneJson, dnsLabelFaults, equalJson, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  forbiddenChange,
  quoteGo,
} from "../../../registry/field-error.ts";
import type { WriteContext } from "../../../registry/served-resource.ts";
import type { BuiltinKind } from "../../object/builtin-kind.ts";
import { ipWarnings } from "../../object/ip-addresses.ts";
import { itemsAt, optionalNumberAt, setIfEmpty, textMapAt } from "../../object/read-fields.ts";
import { bumpGeneration, keepOld, metadataOf, objectAt, stringAt } from "../../object/strategy.ts";
import { diffPrinted } from "../../object/unified-diff.ts";
import { dropDisabledFields } from "./drop-disabled-fields.ts";
import { bindPod, checkBinding } from "./pod-binding.ts";
import { podCells, podRowConditions } from "./pod-cells.ts";
import { setPodDefaults } from "./pod-defaults.ts";
import { checkEviction, evictPod } from "./pod-eviction.ts";
import { podStreams, proxyToPod } from "./pod-streams.ts";
import { podWarnings } from "./pod-warnings.ts";
import { preparePod } from "./prepare-pod.ts";
import { mirrorAnnotation } from "./validate-pod-annotations.ts";
import { dropNonResize, validatePodResize } from "./validate-pod-resize.ts";
import { validatePodStatusUpdate } from "./validate-pod-status.ts";
import { validateChangedPod, validatePodUpdate } from "./validate-pod-update.ts";
import { validateNewPod } from "./validate-pod.ts";

const fields = [
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.nominatedNodeName",
  "spec.host",
];

export const pod: BuiltinKind = {
  group: "",
  version: "v1",
  kind: "Pod",
  defaults: setPodDefaults,
  rules: {
    deleteReturnsObject: true,
    resetFields: [["f:status"]],
    prepareForCreate: preparePod,
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      finishChange(object, old);
    },
    validateCreate(object, context) {
      warnOfPod(object, context);
      return validateNewPod(object);
    },
    validateUpdate: validatePodUpdate,
    gracePeriod,
  },
  views: {
    status: {
      resetFields: [
        ["f:spec"],
        ["f:metadata", "f:deletionTimestamp"],
        ["f:metadata", "f:ownerReferences"],
      ],
      prepareForUpdate: prepareStatus,
      validateUpdate(object, old, context) {
        const status = objectAt(object, "status");
        for (const field of ["podIPs", "hostIPs"])
          for (const [i, each] of itemsAt(status, field).entries())
            for (const text of ipWarnings(stringAt(each, "ip"), `status.${field}[${i}].ip`))
              context.warn(text);
        return validatePodStatusUpdate(object, old);
      },
    },
    ephemeralcontainers: {
      prepareForUpdate(object, old) {
        const containers = objectAt(object, "spec")["ephemeralContainers"];
        const spec = cloneJson(objectAt(old, "spec"));
        if (containers === undefined) delete spec["ephemeralContainers"];
        else spec["ephemeralContainers"] = containers;
        object["spec"] = spec;
        keepOld(object, old, "status");
        keepMetadata(object, old);
        finishChange(object, old);
      },
      validateUpdate: validateEphemeralChange,
    },
    resize: {
      prepareForUpdate(object, old) {
        const kept = objectAt(object, "spec");
        dropNonResize(object, old);
        if (objectAt(object, "spec") !== kept) keepMetadata(object, old);
        finishChange(object, old);
      },
      validateUpdate: validatePodResize,
    },
  },
  connect: { binding: bindPod, eviction: evictPod, ...podStreams },
  connectChecks: { binding: checkBinding, eviction: checkEviction },
  proxy: proxyToPod,
  selectable: {
    names: fields,
    factName: (name) => (name === "spec.host" ? "spec.nodeName" : name),
    extract,
  },
  cells: podCells,
  rowConditions: podRowConditions,
};

function finishChange(object: JsonObject, old: JsonObject): void {
  dropDisabledFields(objectAt(object, "spec"));
  bumpGeneration(object, old, ["spec"]);
}

/**
 * Subresources of the spec leave the metadata alone, but for what the server itself keeps there.
 */
function keepMetadata(object: JsonObject, old: JsonObject): void {
  for (const field of [
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "selfLink",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
  ])
    keepOld(metadataOf(object), metadataOf(old), field);
}

function warnOfPod(object: JsonObject, context: WriteContext): void {
  const faults = dnsLabelFaults(stringAt(metadataOf(object), "name"));
  if (faults.length)
    context.warn(
      `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
    );
  for (const text of podWarnings(object, "")) context.warn(text);
}

/** At once for what no kubelet has seen or what has ended. */
function gracePeriod(object: JsonObject, requested: number | undefined): number {
  const spec = objectAt(object, "spec");
  const phase = stringAt(objectAt(object, "status"), "phase");
  if (!stringAt(spec, "nodeName") || phase === "Failed" || phase === "Succeeded") return 0;
  const seconds = requested ?? optionalNumberAt(spec, "terminationGracePeriodSeconds") ?? 0;
  return seconds < 0 ? 1 : seconds;
}

function prepareStatus(object: JsonObject, old: JsonObject): void {
  keepOld(object, old, "spec");
  delete metadataOf(object)["deletionTimestamp"];
  keepOld(metadataOf(object), metadataOf(old), "ownerReferences");
  const status = objectAt(object, "status");
  const before = objectAt(old, "status");
  if (stringAt(before, "qosClass")) setIfEmpty(status, "qosClass", stringAt(before, "qosClass"));
  keepObserved(status, before);
}

/** A reported generation is never forgotten. */
function keepObserved(status: JsonObject, before: JsonObject): void {
  const keep = (to: JsonObject, from: JsonObject | undefined): void => {
    const generation = from && optionalNumberAt(from, "observedGeneration");
    if (generation) setIfEmpty(to, "observedGeneration", generation);
  };
  keep(status, before);
  const left = [...itemsAt(before, "conditions")];
  for (const condition of itemsAt(status, "conditions")) {
    const i = left.findIndex((old) => stringAt(old, "type") === stringAt(condition, "type"));
    if (i >= 0) keep(condition, left.splice(i, 1)[0]);
  }
}

function validateEphemeralChange(object: JsonObject, old: JsonObject): FieldError[] {
  if (Object.hasOwn(textMapAt(metadataOf(old), "annotations"), mirrorAnnotation))
    return [forbidden("", "static pods do not support ephemeral containers")];
  const now = new Map(
    itemsAt(objectAt(object, "spec"), "ephemeralContainers").map((container) => [
      stringAt(container, "name"),
      container,
    ]),
  );
  return [
    ...validateChangedPod(object, old),
    ...itemsAt(objectAt(old, "spec"), "ephemeralContainers").flatMap((before) => {
      const name = stringAt(before, "name");
      const after = now.get(name);
      if (!after)
        return [
          forbidden(
            "spec.ephemeralContainers",
            `existing ephemeral containers ${quoteGo(name)} may not be removed\n`,
          ),
        ];
      return equalJson(before, after)
        ? []
        : [
            forbiddenChange(
              "spec.ephemeralContainers",
              `existing ephemeral containers ${quoteGo(name)} may not be changed`,
              { type: "core.EphemeralContainer", before, after, diff: diffPrinted },
            ),
          ];
    }),
  ];
}

function extract(object: JsonObject): Readonly<Record<string, string>> {
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  return {
    ...Object.fromEntries(
      ["nodeName", "restartPolicy", "schedulerName", "serviceAccountName"].map((name) => [
        `spec.${name}`,
        stringAt(spec, name),
      ]),
    ),
    "spec.hostNetwork": String(spec["hostNetwork"] === true),
    "status.phase": stringAt(status, "phase"),
    "status.podIP": stringAt(itemsAt(status, "podIPs")[0] ?? {}, "ip"),
    "status.podIPs": "",
    "status.nominatedNodeName": stringAt(status, "nominatedNodeName"),
  };
}
