// The definition of pods: their strategy, the strategies of their subresources, and graceful
// deletion.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go,
// pkg/registry/core/pod/storage/storage.go.
import {
  cloneJson,
  type Decoded,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
} from "homeostat/api";
import type { Pod, PodStatus } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../../apimachinery/errors/field-error.ts";
import {
  gvk,
  type KindDefinition,
  type SelectableFieldsDefinition,
} from "../../definition/kind-definition.ts";
import { optionalInt64 } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import {
  bumpGeneration,
  keepOld,
  keepMetadataForStatus,
} from "../../definition/default-strategy.ts";
import { diffPrinted } from "../../printers/unified-diff.ts";
import { dropDisabledFields } from "./drop-disabled-fields.ts";
import { bindPod, checkBinding } from "./subresources/pod-binding.ts";
import { podCells, podRowConditions } from "./pod-cells.ts";
import { setPodDefaults, setPodDefaultsAgain } from "./defaults/pod-defaults.ts";
import { checkEviction, evictPod } from "./subresources/pod-eviction.ts";
import { podStreams, proxyToPod } from "./subresources/pod-streams.ts";
import { podCreateWarnings, podStatusWarnings } from "./warnings/pod-warnings.ts";
import { preparePod } from "./prepare-pod.ts";
import { mirrorAnnotation } from "./validation/validate-pod-annotations.ts";
import { dropNonResize, validatePodResize } from "./validation/validate-pod-resize.ts";
import { validatePodStatusUpdate } from "./validation/validate-pod-status.ts";
import { validateChangedPod, validatePodUpdate } from "./validation/validate-pod-update.ts";
import { validateNewPod } from "./validation/validate-pod.ts";

const selectable: SelectableFieldsDefinition<Decoded<Pod>> = {
  names: [
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
  ],
  attributeName: (name) => (name === "spec.host" ? "spec.nodeName" : name),
  extract,
};

export const pod: KindDefinition<Decoded<Pod>> = {
  ...gvk("v1", "Pod"),
  returnsDeletedObject: true,
  defaults: setPodDefaults,
  redefault: setPodDefaultsAgain,
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate: preparePod,
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      finishUpdate(object, old);
    },
    validateCreate: validateNewPod,
    validateUpdate: validatePodUpdate,
    warningsOnCreate: podCreateWarnings,
    gracePeriod,
  },
  withoutTables: ["ephemeralcontainers", "resize"],
  subresources: {
    status: {
      resetFields: [
        ["f:spec"],
        ["f:metadata", "f:deletionTimestamp"],
        ["f:metadata", "f:ownerReferences"],
      ],
      prepareForUpdate: prepareStatus,
      validateUpdate: validatePodStatusUpdate,
      warningsOnUpdate: podStatusWarnings,
    },
    ephemeralcontainers: {
      prepareForUpdate(object, old) {
        const containers = object.spec?.ephemeralContainers;
        const spec = cloneJson(old.spec ?? {});
        if (containers === undefined) delete spec.ephemeralContainers;
        else spec.ephemeralContainers = containers;
        object.spec = spec;
        keepOld(object, old, "status");
        keepMetadata(object, old);
        finishUpdate(object, old);
      },
      validateUpdate: validateEphemeralChange,
    },
    resize: {
      prepareForUpdate(object, old) {
        const kept = object.spec ?? {};
        dropNonResize(object, old);
        if ((object.spec ?? {}) !== kept) keepMetadata(object, old);
        finishUpdate(object, old);
      },
      validateUpdate: validatePodResize,
    },
  },
  connect: { binding: bindPod, eviction: evictPod, ...podStreams },
  connectAccepts: { eviction: ["policy/v1beta1"] },
  connectChecks: { binding: checkBinding, eviction: checkEviction },
  proxy: proxyToPod,
  selectable,
  cells: podCells,
  rowConditions: podRowConditions,
  conversions: { "core.PodSpec": toInternalSpec },
};

/** Upstream: pkg/apis/core/v1/conversion.go (Convert_v1_PodSpec_To_core_PodSpec). */
function toInternalSpec(value: Json | undefined): JsonObject {
  const spec = isObject(value) ? value : {};
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const context = isObject(spec["securityContext"]) ? spec["securityContext"] : {};
  const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return {
    ...spec,
    securityContext: { ...context, ...host } as JsonObject,
    serviceAccountName: spec["serviceAccountName"] || spec["serviceAccount"] || "",
  };
}

function finishUpdate(object: Decoded<Pod>, old: Decoded<Pod>): void {
  dropDisabledFields(object.spec ?? {});
  bumpGeneration(object, old, ["spec"]);
}

/**
 * Writes through `ephemeralcontainers` and `resize` change managedFields and resourceVersion, and
 * no other metadata.
 */
function keepMetadata(object: Decoded<Pod>, old: Decoded<Pod>): void {
  keepMetadataForStatus(object, old);
  keepOld(metadataOf(object), metadataOf(old), "deletionGracePeriodSeconds");
}

/**
 * The grace period of a first delete: zero for a pod that is not bound to a node or has ended.
 * Upstream: CheckGracefulDelete.
 */
function gracePeriod(object: Decoded<Pod>, requested: number | undefined): number {
  const spec = object.spec ?? {};
  const phase = object.status?.phase ?? "";
  if (!spec.nodeName || phase === "Failed" || phase === "Succeeded") return 0;
  const seconds = requested ?? optionalInt64(spec.terminationGracePeriodSeconds) ?? 0;
  return seconds < 0 ? 1 : seconds;
}

function prepareStatus(object: Decoded<Pod>, old: Decoded<Pod>): void {
  keepOld(object, old, "spec");
  delete metadataOf(object).deletionTimestamp;
  keepOld(metadataOf(object), metadataOf(old), "ownerReferences");
  const status = object.status ?? {};
  const before = old.status ?? {};
  if (before.qosClass) status.qosClass ||= before.qosClass;
  keepObserved(status, before);
}

/** Keeps the observedGeneration of the status and of each condition unless the write sets one. */
function keepObserved(status: Decoded<PodStatus>, before: Decoded<PodStatus>): void {
  keepObservedGeneration(status, before);
  const left = [...(before.conditions ?? [])];
  for (const condition of status.conditions ?? []) {
    const i = left.findIndex((old) => (old.type ?? "") === (condition.type ?? ""));
    const [old] = i < 0 ? [] : left.splice(i, 1);
    if (old) keepObservedGeneration(condition, old);
  }
}

interface Observed {
  observedGeneration?: number | null;
}

function keepObservedGeneration(to: Observed, from: Observed): void {
  if (from.observedGeneration) to.observedGeneration ||= Number(from.observedGeneration);
}

function validateEphemeralChange(object: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  if (Object.hasOwn(metadataOf(old).annotations ?? {}, mirrorAnnotation))
    return [fieldError.forbidden("", "static pods do not support ephemeral containers")];
  const now = new Map(
    (object.spec?.ephemeralContainers ?? []).map((container) => [container.name ?? "", container]),
  );
  return [
    ...validateChangedPod(object, old),
    ...(old.spec?.ephemeralContainers ?? []).flatMap((before) => {
      const name = before.name ?? "";
      const after = now.get(name);
      if (!after)
        return [
          fieldError.forbidden(
            "spec.ephemeralContainers",
            `existing ephemeral containers ${quoteGo(name)} may not be removed\n`,
          ),
        ];
      return errorIf(!equalJson(before, after), () =>
        fieldError.forbiddenChange(
          "spec.ephemeralContainers",
          `existing ephemeral containers ${quoteGo(name)} may not be changed`,
          { type: "core.EphemeralContainer", before, after, diff: diffPrinted },
        ),
      );
    }),
  ];
}

function extract(object: Decoded<Pod>): Readonly<Record<string, string>> {
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  return {
    ...Object.fromEntries(
      (["nodeName", "restartPolicy", "schedulerName", "serviceAccountName"] as const).map(
        (name) => [`spec.${name}`, spec[name] ?? ""],
      ),
    ),
    "spec.hostNetwork": String(spec.hostNetwork === true),
    "status.phase": status.phase ?? "",
    "status.podIP": status.podIPs?.[0]?.ip ?? "",
    "status.podIPs": "",
    "status.nominatedNodeName": status.nominatedNodeName ?? "",
  };
}
