// Validation of requests, limits and claims, of containers and of pods.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateResourceRequirements,
// validatePodResources).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { PodSpec, ResourceClaim, ResourceRequirements } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  formatBadValue,
} from "../../../../../apimachinery/errors/field-error.ts";
import { formatQuantity } from "../../../../../apimachinery/values/quantity.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import { dnsLabelErrors } from "../../../../validation/field-rules.ts";
import {
  containerResourceNameErrors,
  quantityErrors,
  resourceNameErrors,
  sortedEntries,
} from "../../../resources/validate-resource-lists.ts";
import { nanoOf, sumContainers } from "../../../resources/resource-lists.ts";
import {
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
} from "../../../resources/resource-names.ts";

type NameErrors = (name: string, path: string) => FieldError[];

/** Resources of a container. */
export const validateContainerResources = (
  resources: Decoded<ResourceRequirements>,
  claims: ReadonlySet<string>,
  path: string,
): FieldError[] => requirementErrors(resources, containerResourceNameErrors, claims, path);

/** Resources of the pod, which its containers must not exceed. */
export function validatePodResources(
  spec: Decoded<PodSpec>,
  claims: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const { resources } = spec;
  if (!resources) return [];
  if (spec.os?.name === "windows")
    return [fieldError.forbidden(`${path}.resources`, "may not be set for a windows pod")];
  return [
    ...errorIf(isSet(resources.claims), () =>
      fieldError.forbidden(
        `${path}.resources.claims`,
        "claims may not be set for Resources at pod-level",
      ),
    ),
    ...requirementErrors(resources, podResourceNameErrors, claims, `${path}.resources`),
    ...consistencyErrors(spec, resources, `${path}.resources`),
  ];
}

const podResourceNameErrors: NameErrors = (name, path) => {
  const errors = resourceNameErrors(name, path);
  return errors.length || isPodLevelResource(name)
    ? errors
    : [fieldError.notSupported(path, name, ["cpu", "hugepages-", "memory"])];
};

function requirementErrors(
  resources: Decoded<ResourceRequirements>,
  nameErrors: NameErrors,
  claims: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  const all = [...Object.keys(limits), ...Object.keys(requests)];
  const onlyHugePages = all.some(isHugePages) && !all.includes("cpu") && !all.includes("memory");
  return [
    ...sortedEntries(limits).flatMap(([name, quantity]) =>
      amountParts(name, quantity, nameErrors, `${path}.limits[${name}]`).flat(),
    ),
    ...sortedEntries(requests).flatMap(([name, quantity]) => {
      const [named, pages] = amountParts(name, quantity, nameErrors, `${path}.requests[${name}]`);
      return [...named, ...limitErrors(name, quantity, limits[name], path), ...pages];
    }),
    ...errorIf(onlyHugePages, () => fieldError.forbidden(path, "HugePages require cpu or memory")),
    ...claimErrors(resources.claims ?? [], claims, `${path}.claims`),
  ];
}

function limitErrors(
  name: string,
  quantity: string,
  limit: string | undefined,
  path: string,
): FieldError[] {
  if (limit === undefined)
    return errorIf(!isOvercommitAllowed(name), () =>
      fieldError.required(`${path}.limits`, "Limit must be set for non overcommitable resources"),
    );
  const difference = nanoOf(quantity) - nanoOf(limit);
  if (difference !== 0n && !isOvercommitAllowed(name))
    return [
      fieldError.invalid(
        `${path}.requests`,
        quantity,
        `must be equal to ${name} limit of ${limit}`,
      ),
    ];
  return errorIf(difference > 0n, () =>
    fieldError.invalid(
      `${path}.requests`,
      quantity,
      `must be less than or equal to ${name} limit of ${limit}`,
    ),
  );
}

/** The errors before and after those that compare a request with its limit. */
function amountParts(
  name: string,
  quantity: string,
  nameErrors: NameErrors,
  path: string,
): readonly [FieldError[], FieldError[]] {
  const indivisible = isHugePages(name) && !isDivisible(name, quantity);
  return [
    [...nameErrors(name, path), ...quantityErrors(name, quantity, path)],
    errorIf(indivisible, () =>
      fieldError.invalid(path, quantity, `${quantity} is not positive integer multiple of ${name}`),
    ),
  ];
}

/**
 * Whether the quantity of a huge page resource is a multiple of its page size; false for a size
 * that does not parse.
 */
function isDivisible(name: string, quantity: string): boolean {
  const size = name.slice("hugepages-".length);
  const page = /^[0-9.]+[A-Za-z]*$/.test(size) ? nanoOf(size) : 0n;
  return page > 0n && nanoOf(quantity) % page === 0n;
}

function claimErrors(
  claims: readonly Decoded<ResourceClaim>[],
  known: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return eachItem(claims, path, (claim, at) => {
    const name = claim.name ?? "";
    if (!name) return [fieldError.required(at, "")];
    return [
      ...claimNameErrors(name, claim.request ?? "", names, at),
      ...(known.has(name) ? [] : [unknownClaim(name, known, at)]),
    ];
  });
}

function claimNameErrors(
  name: string,
  request: string,
  names: Set<string>,
  path: string,
): FieldError[] {
  if (names.has(name)) return [fieldError.duplicate(path, name)];
  const key = request ? `${name}/${request}` : name;
  const errors = request ? dnsLabelErrors(request, `${path}.request`) : [];
  if (names.has(key)) errors.push(fieldError.duplicate(path, key));
  else if (!request)
    errors.push(
      ...[...names]
        .filter((other) => other.startsWith(`${name}/`))
        .map(() => fieldError.duplicate(path, name)),
    );
  names.add(key);
  return errors;
}

function unknownClaim(name: string, known: ReadonlySet<string>, path: string): FieldError {
  const names = known.size ? `: ${[...known].sort(compareBytewise).join(", ")}` : " which is empty";
  return {
    type: "FieldValueNotFound",
    field: path,
    body: `Not found: ${formatBadValue(name)}: must be one of the names in pod.spec.resourceClaims${names}`,
  };
}

function consistencyErrors(
  spec: Decoded<PodSpec>,
  resources: Decoded<ResourceRequirements>,
  path: string,
): FieldError[] {
  const requests = resources.requests ?? {};
  const limits = resources.limits ?? {};
  const errors: FieldError[] = [];
  for (const [name, sum] of sumContainers(spec, "requests")) {
    const own = requests[name];
    if (own !== undefined && sum.nano > nanoOf(own))
      errors.push(
        fieldError.invalid(
          `${path}.requests[${name}]`,
          own,
          `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`,
        ),
      );
  }
  for (const [name, sum] of sumContainers(spec, "limits")) {
    const own = limits[name];
    if (isHugePages(name) && own !== undefined && sum.nano > nanoOf(own))
      errors.push(
        fieldError.invalid(
          `${path}.limits[${name}]`,
          own,
          `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`,
        ),
      );
  }
  (spec.containers ?? []).forEach((container, i) => {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const own = limits[name];
      if (own !== undefined && nanoOf(limit) > nanoOf(own))
        errors.push(
          fieldError.invalid(
            `${path}.containers[${i}][${name}].limits`,
            limit,
            `must be less than or equal to pod limits of ${own}`,
          ),
        );
    }
  });
  return errors;
}
