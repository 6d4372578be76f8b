// The resize subresource, which changes cpu and memory of containers. The pod keeps its QoS class.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodResize),
// pkg/registry/core/pod/strategy.go (dropNonResizeUpdates).
import { cloneJson, type Decoded, equalJson } from "homeostat/api";
import type { Container, Pod, PodSpec, ResourceRequirements } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { hasItems, isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { keepOld } from "../../../definition/default-strategy.ts";
import { finalizerErrors } from "../../../validation/validate-object.ts";
import { qosClassOf } from "../../resources/quality-of-service.ts";
import { mirrorAnnotation } from "./validate-pod-annotations.ts";
import { validateObjectMeta } from "../../../../apimachinery/meta/validate-object-meta.ts";
import { nameIsDnsSubdomain } from "../../../validation/names.ts";
import type { ResourceBound } from "../../resources/resource-lists.ts";
import { validateWholePod } from "./validate-pod.ts";

const containerLists = ["containers", "initContainers"] as const;

/**
 * Resets what a resize does not change, unless containers were added, removed or reordered, which
 * validation refuses.
 */
export function dropNonResize(pod: Decoded<Pod>, old: Decoded<Pod>): void {
  const spec = pod.spec ?? {};
  const before = old.spec ?? {};
  if (containerLists.some((list) => (spec[list]?.length ?? 0) !== (before[list]?.length ?? 0)))
    return;
  const next = cloneJson(before);
  keepOld(next, spec, "resources");
  for (const list of containerLists)
    if (isSet(before[list])) next[list] = resized(spec[list] ?? [], next[list] ?? []);
  pod.spec = next;
  keepOld(pod, old, "status");
}

function resized(
  containers: readonly Decoded<Container>[],
  before: readonly Decoded<Container>[],
): Decoded<Container>[] {
  if (containers.some((container, i) => (container.name ?? "") !== (before[i]!.name ?? "")))
    return [...containers];
  return before.map((old, i) => {
    const next: Decoded<Container> = { ...old };
    keepOld(next, containers[i]!, "resources");
    keepOld(next, containers[i]!, "resizePolicy");
    return next;
  });
}

/** Validates a resize. */
export function validatePodResize(pod: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  const before = old.spec ?? {};
  if (Object.hasOwn(metadataOf(old).annotations ?? {}, mirrorAnnotation))
    return [fieldError.forbidden("", "static pods cannot be resized")];
  if (before.os?.name === "windows")
    return [fieldError.forbidden("", "windows pods cannot be resized")];
  const errors = [
    ...finalizerErrors(pod),
    ...validateObjectMeta(pod, { namespaced: true }, nameIsDnsSubdomain),
    ...validateWholePod(pod, old),
    ...classErrors(pod, old),
  ];
  const copy = cloneJson(pod.spec ?? {});
  if (hasOwnResources(before) || hasOwnResources(copy))
    errors.push(...ownResourceErrors(copy, before));
  const order = orderErrors(copy, before);
  if (order.length) return [...errors, ...order];
  errors.push(...containerErrors(copy, before));
  if (errors.length) return errors;
  return errorIf(!equalJson(copy, before), () =>
    fieldError.forbidden("spec", "only cpu and memory resources are mutable"),
  );
}

function classErrors(pod: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  const was = old.status?.qosClass || qosClassOf(old.spec ?? {});
  const running = (old.status?.containerStatuses ?? []).find((container) =>
    isSet(container.state?.running),
  );
  return [
    ...errorIf(was !== qosClassOf(pod.spec ?? {}), () =>
      fieldError.invalid(
        "spec",
        pod.status?.qosClass ?? "",
        "Pod QOS Class may not change as a result of resizing",
      ),
    ),
    ...errorIf(running && !isSet(running.resources), () =>
      fieldError.forbidden("spec", "Pod running on node without support for resize"),
    ),
  ];
}

const hasOwnResources = ({ resources }: Decoded<PodSpec>): boolean =>
  hasItems(resources?.requests) || hasItems(resources?.limits);

function ownResourceErrors(copy: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  const was = before.resources;
  const now = copy.resources;
  if (was && !now)
    return [fieldError.forbidden("spec.resources", "pod-level resources cannot be removed")];
  const errors =
    was && now
      ? (["requests", "limits"] as const).flatMap((bound) =>
          errorIf(isShortened(now, was, bound), () =>
            fieldError.forbidden(
              `spec.resources.${bound}`,
              `pod-level resource ${bound} cannot be removed`,
            ),
          ),
        )
      : [];
  if (now) copy.resources = withoutCpuAndMemory(now, was ?? {});
  if (!was && now && !Object.keys(copy.resources ?? {}).length) delete copy.resources;
  return equalJson(copy.resources ?? null, was ?? null)
    ? errors
    : [
        ...errors,
        fieldError.forbidden("spec", "only cpu and memory resources are mutable at pod-level"),
      ];
}

function isShortened(
  now: Decoded<ResourceRequirements>,
  was: Decoded<ResourceRequirements>,
  bound: ResourceBound,
): boolean {
  const left = now[bound] ?? {};
  return Object.keys(was[bound] ?? {}).some((name) => !Object.hasOwn(left, name));
}

/** The requirements with the old cpu and memory. */
function withoutCpuAndMemory(
  now: Decoded<ResourceRequirements>,
  was: Decoded<ResourceRequirements>,
): Decoded<ResourceRequirements> {
  const { requests: _, limits: __, ...others } = now;
  const rest: Decoded<ResourceRequirements> = others;
  for (const bound of ["limits", "requests"] as const) {
    const { cpu: _cpu, memory: _memory, ...others } = now[bound] ?? {};
    const old = Object.fromEntries(
      Object.entries(was[bound] ?? {}).filter(([name]) => name === "cpu" || name === "memory"),
    );
    if (Object.keys({ ...others, ...old }).length) rest[bound] = { ...others, ...old };
  }
  return rest;
}

function orderErrors(spec: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  return containerLists.flatMap((list) => {
    const containers = spec[list] ?? [];
    const old = before[list] ?? [];
    if (containers.length !== old.length)
      return [
        fieldError.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`),
      ];
    return eachItem(old, `spec.${list}`, (container, at, i) =>
      errorIf((containers[i]!.name ?? "") !== (container.name ?? ""), () =>
        fieldError.forbidden(`${at}.name`, `${list} may not be renamed or reordered on resize`),
      ),
    );
  });
}

/** Also resets cpu and memory of `copy`, so that it differs by other changes only. */
function containerErrors(copy: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  const removed = (["initContainers", "containers"] as const).flatMap((list) =>
    eachItem(before[list], `spec.${list}`, (old, at, i) => {
      const now = (copy[list] ?? [])[i]!.resources ?? {};
      return (["requests", "limits"] as const).flatMap((bound) =>
        errorIf(isShortened(now, old.resources ?? {}, bound), () =>
          fieldError.forbidden(`${at}.resources.${bound}`, `resource ${bound} cannot be removed`),
        ),
      );
    }),
  );
  const others = containerLists.flatMap((list) =>
    (copy[list] ?? []).flatMap((container, i) =>
      changeErrors(container, (before[list] ?? [])[i]!, list, i),
    ),
  );
  return [...removed, ...others];
}

function changeErrors(
  container: Decoded<Container>,
  old: Decoded<Container>,
  list: (typeof containerLists)[number],
  i: number,
): FieldError[] {
  const isModified = !equalJson(container, old);
  const { claims: _, ...resources } = withoutCpuAndMemory(
    container.resources ?? {},
    old.resources ?? {},
  );
  container.resources = resources;
  const isSame = equalJson(container, old);
  if (list === "containers")
    return errorIf(!isSame, () =>
      fieldError.forbidden("spec", "only cpu and memory resources are mutable"),
    );
  const others = errorIf(!isSame, () =>
    fieldError.forbidden(
      `spec.initContainers[${i}]`,
      "only cpu and memory resources for init or sidecar containers are mutable",
    ),
  );
  if (!isModified || container.restartPolicy === "Always") return others;
  const restarting = (container.resizePolicy ?? []).filter(
    (policy) => policy.restartPolicy === "RestartContainer",
  );
  return [
    ...others,
    ...restarting.map(() =>
      fieldError.forbidden(
        `spec.initContainers[${i}]`,
        "non-sidecar init containers with a resize policy of RestartContainer cannot be resized",
      ),
    ),
  ];
}
