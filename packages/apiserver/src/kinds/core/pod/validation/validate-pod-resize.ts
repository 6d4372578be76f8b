// The resize endpoint: cpu and memory of containers may change, nothing else, and never the pod's
// class.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodResize),
// pkg/registry/core/pod/strategy.go (dropNonResizeUpdates).
import { cloneJson, equalJson, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
} from "../../../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, keepOld } from "../../../definition/default-strategy.ts";
import { qosClassOf } from "../quality-of-service.ts";
import { mirrorAnnotation } from "./validate-pod-annotations.ts";
import { validateObjectMeta } from "../../../../apimachinery/meta/validate-object-meta.ts";
import { nameIsDnsSubdomain } from "../../../validation/names.ts";
import { validateWholePod } from "./validate-pod.ts";

const containerLists = ["containers", "initContainers"] as const;

/**
 * Puts back what a resize does not change, unless containers were added, removed or moved: that is
 * refused later.
 */
export function dropNonResize(pod: JsonObject, old: JsonObject): void {
  const spec = objectAt(pod, "spec");
  const before = objectAt(old, "spec");
  if (containerLists.some((list) => itemsAt(spec, list).length !== itemsAt(before, list).length))
    return;
  const next = cloneJson(before);
  keepOld(next, spec, "resources");
  for (const list of containerLists)
    if (isSet(before[list])) next[list] = resized(itemsAt(spec, list), itemsAt(next, list));
  pod["spec"] = next;
  keepOld(pod, old, "status");
}

function resized(containers: readonly JsonObject[], before: readonly JsonObject[]): Json[] {
  if (
    containers.some((container, i) => stringAt(container, "name") !== stringAt(before[i]!, "name"))
  )
    return [...containers];
  return before.map((old, i) => {
    const next = { ...old };
    keepOld(next, containers[i]!, "resources");
    keepOld(next, containers[i]!, "resizePolicy");
    return next;
  });
}

/** Every breach of a resize. */
export function validatePodResize(pod: JsonObject, old: JsonObject): FieldError[] {
  const before = objectAt(old, "spec");
  if (Object.hasOwn(textMapAt(metadataOf(old), "annotations"), mirrorAnnotation))
    return [forbidden("", "static pods cannot be resized")];
  if (stringAt(objectAt(before, "os"), "name") === "windows")
    return [forbidden("", "windows pods cannot be resized")];
  const errors = [
    ...finalizerErrors(pod),
    ...validateObjectMeta(pod, { namespaced: true }, nameIsDnsSubdomain),
    ...validateWholePod(pod, old),
    ...classErrors(pod, old),
  ];
  const copy = cloneJson(objectAt(pod, "spec"));
  if (hasOwnResources(before) || hasOwnResources(copy))
    errors.push(...ownResourceErrors(copy, before));
  const order = orderErrors(copy, before);
  if (order.length) return [...errors, ...order];
  errors.push(...containerErrors(copy, before));
  if (errors.length) return errors;
  return equalJson(copy, before)
    ? []
    : [forbidden("spec", "only cpu and memory resources are mutable")];
}

function classErrors(pod: JsonObject, old: JsonObject): FieldError[] {
  const was = stringAt(objectAt(old, "status"), "qosClass") || qosClassOf(objectAt(old, "spec"));
  const running = itemsAt(objectAt(old, "status"), "containerStatuses").find((container) =>
    isSet(objectAt(container, "state")["running"]),
  );
  return [
    ...(was === qosClassOf(objectAt(pod, "spec"))
      ? []
      : [
          invalid(
            "spec",
            stringAt(objectAt(pod, "status"), "qosClass"),
            "Pod QOS Class may not change as a result of resizing",
          ),
        ]),
    ...(running && !isSet(running["resources"])
      ? [forbidden("spec", "Pod running on node without support for resize")]
      : []),
  ];
}

const hasOwnResources = (spec: JsonObject): boolean => {
  const own = objectAt(spec, "resources");
  return hasItems(own["requests"]) || hasItems(own["limits"]);
};

function ownResourceErrors(copy: JsonObject, before: JsonObject): FieldError[] {
  const was = mutableAt(before, "resources");
  const now = mutableAt(copy, "resources");
  if (was && !now) return [forbidden("spec.resources", "pod-level resources cannot be removed")];
  const errors =
    was && now
      ? (["requests", "limits"] as const).flatMap((bound) =>
          isShortened(now, was, bound)
            ? [
                forbidden(
                  `spec.resources.${bound}`,
                  `pod-level resource ${bound} cannot be removed`,
                ),
              ]
            : [],
        )
      : [];
  if (now) copy["resources"] = withoutCpuAndMemory(now, was ?? {});
  if (!was && now && !Object.keys(objectAt(copy, "resources")).length) delete copy["resources"];
  return equalJson(copy["resources"] ?? null, was ?? null)
    ? errors
    : [...errors, forbidden("spec", "only cpu and memory resources are mutable at pod-level")];
}

function isShortened(now: JsonObject, was: JsonObject, bound: "requests" | "limits"): boolean {
  const left = textMapAt(now, bound);
  return Object.keys(textMapAt(was, bound)).some((name) => !Object.hasOwn(left, name));
}

/** The requirements with cpu and memory as they were. */
function withoutCpuAndMemory(now: JsonObject, was: JsonObject): JsonObject {
  const { requests: _, limits: __, ...rest } = now;
  for (const bound of ["limits", "requests"]) {
    const { cpu: _cpu, memory: _memory, ...others } = textMapAt(now, bound);
    const old = Object.fromEntries(
      Object.entries(textMapAt(was, bound)).filter(([name]) => name === "cpu" || name === "memory"),
    );
    if (Object.keys({ ...others, ...old }).length) rest[bound] = { ...others, ...old };
  }
  return rest;
}

function orderErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  return containerLists.flatMap((list) => {
    const containers = itemsAt(spec, list);
    const old = itemsAt(before, list);
    if (containers.length !== old.length)
      return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
    return old.flatMap((container, i) =>
      stringAt(containers[i]!, "name") === stringAt(container, "name")
        ? []
        : [
            forbidden(
              `spec.${list}[${i}].name`,
              `${list} may not be renamed or reordered on resize`,
            ),
          ],
    );
  });
}

/** Also puts cpu and memory of `copy` back, so that only other changes are left in it. */
function containerErrors(copy: JsonObject, before: JsonObject): FieldError[] {
  const removed = (["initContainers", "containers"] as const).flatMap((list) =>
    itemsAt(before, list).flatMap((old, i) => {
      const now = objectAt(itemsAt(copy, list)[i]!, "resources");
      return (["requests", "limits"] as const).flatMap((bound) =>
        isShortened(now, objectAt(old, "resources"), bound)
          ? [
              forbidden(
                `spec.${list}[${i}].resources.${bound}`,
                `resource ${bound} cannot be removed`,
              ),
            ]
          : [],
      );
    }),
  );
  const others = containerLists.flatMap((list) =>
    itemsAt(copy, list).flatMap((container, i) =>
      changeErrors(container, itemsAt(before, list)[i]!, list, i),
    ),
  );
  return [...removed, ...others];
}

function changeErrors(
  container: JsonObject,
  old: JsonObject,
  list: (typeof containerLists)[number],
  i: number,
): FieldError[] {
  const isModified = !equalJson(container, old);
  const { claims: _, ...resources } = withoutCpuAndMemory(
    objectAt(container, "resources"),
    objectAt(old, "resources"),
  );
  container["resources"] = resources;
  const others = equalJson(container, old)
    ? []
    : list === "containers"
      ? [forbidden("spec", "only cpu and memory resources are mutable")]
      : [
          forbidden(
            `spec.initContainers[${i}]`,
            "only cpu and memory resources for init or sidecar containers are mutable",
          ),
        ];
  if (list === "containers" || !isModified || stringAt(container, "restartPolicy") === "Always")
    return others;
  const restarting = itemsAt(container, "resizePolicy").filter(
    (policy) => stringAt(policy, "restartPolicy") === "RestartContainer",
  );
  return [
    ...others,
    ...restarting.map(() =>
      forbidden(
        `spec.initContainers[${i}]`,
        "non-sidecar init containers with a resize policy of RestartContainer cannot be resized",
      ),
    ),
  ];
}
