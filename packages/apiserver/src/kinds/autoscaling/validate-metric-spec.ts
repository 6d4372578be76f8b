// The metrics of a HorizontalPodAutoscaler.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/validation/validation.go (validateMetricSpec and
// the functions that it calls).
import { type Decoded, pathSegmentFaults } from "homeostat/api";
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "homeostat/k8s/autoscaling/v2";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { nanoOf } from "../core/resources/resource-lists.ts";
import { containerResourceNameErrors } from "../core/resources/validate-resource-lists.ts";
import { dnsLabelErrors, ruled } from "../validation/field-rules.ts";
import { validateObjectReference } from "./validate-object-reference.ts";

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** In the order of upstream's validation, which validates only the first source that is set. */
const sourceFields = ["object", "external", "pods", "resource", "containerResource"] as const;
type SourceField = (typeof sourceFields)[number];

/** The field of a type of metric, e.g. `containerResource` of `ContainerResource`. */
export const sourceFieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** Every error of a metric at `path`. */
export function validateMetricSpec(metric: Decoded<MetricSpec>, path: string): FieldError[] {
  const type = metric.type ?? "";
  const present = sourceFields.filter((field) => isSet(metric[field]));
  const unknown = errorIf(!types.includes(type), () =>
    fieldError.notSupported(`${path}.type`, type, types),
  );
  return [
    ...errorIf(!type, () =>
      fieldError.required(`${path}.type`, "must specify a metric source type"),
    ),
    ...unknown,
    ...sourceErrors(metric, path),
    ...unknown,
    ...(unknown.length ? [] : missingSourceErrors(sourceFieldOf(type), present, path)),
    ...(present.length === 1 ? [] : surplusSourceErrors(sourceFieldOf(type), present, path)),
  ];
}

const missingSourceErrors = (
  expected: string,
  present: readonly SourceField[],
  path: string,
): FieldError[] =>
  errorIf(!present.some((field) => field === expected), () =>
    fieldError.required(
      `${path}.${expected}`,
      "must populate information for the given metric source",
    ),
  );

const surplusSourceErrors = (
  expected: string,
  present: readonly SourceField[],
  path: string,
): FieldError[] =>
  present
    .filter((field) => field !== expected)
    .map((field) =>
      fieldError.forbidden(`${path}.${field}`, "must populate the given metric source only"),
    );

function sourceErrors(
  { object, external, pods, resource, containerResource }: Decoded<MetricSpec>,
  path: string,
): FieldError[] {
  if (object) return objectErrors(object, `${path}.object`);
  if (external) return externalErrors(external, `${path}.external`);
  if (pods) return podsErrors(pods, `${path}.pods`);
  if (resource) return resourceErrors(resource, `${path}.resource`);
  return containerResource
    ? containerResourceErrors(containerResource, `${path}.containerResource`)
    : [];
}

const objectErrors = (source: Decoded<ObjectMetricSource>, path: string): FieldError[] => [
  ...validateObjectReference(source.describedObject ?? {}, "valid", `${path}.describedObject`),
  ...identifierErrors(source.metric ?? {}, `${path}.metric`),
  ...valueErrors(
    source.target ?? {},
    `${path}.target`,
    "must set either a target value or averageValue",
  ),
];

function externalErrors(source: Decoded<ExternalMetricSource>, path: string): FieldError[] {
  const target = source.target ?? {};
  return [
    ...identifierErrors(source.metric ?? {}, `${path}.metric`),
    ...valueErrors(
      target,
      `${path}.target`,
      "must set either a target value for metric or a per-pod target",
    ),
    ...errorIf(isSet(target.value) && isSet(target.averageValue), () =>
      fieldError.forbidden(
        `${path}.target.value`,
        "may not set both a target value for metric and a per-pod target",
      ),
    ),
  ];
}

function podsErrors(source: Decoded<PodsMetricSource>, path: string): FieldError[] {
  const target = source.target ?? {};
  return [
    ...identifierErrors(source.metric ?? {}, `${path}.metric`),
    ...targetErrors(target, `${path}.target`),
    ...errorIf(!isSet(target.averageValue), () =>
      fieldError.required(
        `${path}.target.averageValue`,
        "must specify a positive target averageValue",
      ),
    ),
  ];
}

const resourceErrors = (source: Decoded<ResourceMetricSource>, path: string): FieldError[] => [
  ...errorIf(!source.name, () =>
    fieldError.required(`${path}.name`, "must specify a resource name"),
  ),
  ...utilizationErrors(source.target ?? {}, `${path}.target`),
];

function containerResourceErrors(
  { name, container, target }: Decoded<ContainerResourceMetricSource>,
  path: string,
): FieldError[] {
  return [
    ...(name
      ? containerResourceNameErrors(name, `${path}.name`)
      : [fieldError.required(`${path}.name`, "must specify a resource name")]),
    ...(container
      ? dnsLabelErrors(container, `${path}.container`)
      : [fieldError.required(`${path}.container`, "must specify a container")]),
    ...utilizationErrors(target ?? {}, `${path}.target`),
  ];
}

const identifierErrors = ({ name }: Decoded<MetricIdentifier>, path: string): FieldError[] =>
  name
    ? ruled(pathSegmentFaults, name, `${path}.name`)
    : [fieldError.required(`${path}.name`, "must specify a metric name")];

const valueErrors = (
  target: Decoded<MetricTarget>,
  path: string,
  missing: string,
): FieldError[] => [
  ...targetErrors(target, path),
  ...errorIf(!isSet(target.value) && !isSet(target.averageValue), () =>
    fieldError.required(`${path}.averageValue`, missing),
  ),
];

function utilizationErrors(target: Decoded<MetricTarget>, path: string): FieldError[] {
  const hasUtilization = isSet(target.averageUtilization);
  const hasValue = isSet(target.averageValue);
  return [
    ...targetErrors(target, path),
    ...errorIf(!hasUtilization && !hasValue, () =>
      fieldError.required(
        `${path}.averageUtilization`,
        "must set either a target raw value or a target utilization",
      ),
    ),
    ...errorIf(hasUtilization && hasValue, () =>
      fieldError.forbidden(
        `${path}.averageValue`,
        "may not set both a target raw value and a target utilization",
      ),
    ),
  ];
}

function targetErrors(target: Decoded<MetricTarget>, path: string): FieldError[] {
  const type = target.type ?? "";
  const { averageUtilization } = target;
  return [
    ...errorIf(!type, () =>
      fieldError.required(`${path}.type`, "must specify a metric target type"),
    ),
    ...errorIf(!["Utilization", "Value", "AverageValue"].includes(type), () =>
      fieldError.invalid(
        `${path}.type`,
        type,
        "must be either Utilization, Value, or AverageValue",
      ),
    ),
    ...(["value", "averageValue"] as const).flatMap((field) => {
      const quantity = target[field];
      return errorIf(isSet(quantity) && nanoOf(quantity) <= 0n, () =>
        fieldError.invalid(`${path}.${field}`, quantity, "must be positive"),
      );
    }),
    ...errorIf(isSet(averageUtilization) && averageUtilization < 1, () =>
      fieldError.invalid(
        `${path}.averageUtilization`,
        averageUtilization,
        "must be greater than 0",
      ),
    ),
  ];
}
