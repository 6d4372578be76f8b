// The scale subresource of a custom resource: reads and writes autoscaling/v1 Scale at the paths of
// the definition, and validates these paths on every write of the object.
// Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go (ScaleREST),
// validator.go (ValidateScale…).
import { isObject, type JsonObject } from "homeostat/api";
import type { CustomResourceSubresourceScale } from "homeostat/k8s/apiextensions/v1";
import {
  badRequestError,
  internalError,
  plainError,
} from "../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { ScaleConverter } from "../../apimachinery/rest/scale-converter.ts";
import {
  nestedInt64,
  nestedString,
  type NestedValue,
  setNestedField,
  splitFieldPath,
} from "./nested-field.ts";

const maxInt32 = 2 ** 31 - 1;
/** Stands for absent replicas while a Scale is patched. */
const absentReplicas = -(2 ** 31);

/** A path as written, and its fields. */
interface FieldAt {
  readonly path: string;
  readonly fields: readonly string[];
}

/** The parsed paths of a scale subresource. */
export interface ScalePaths {
  readonly desired: FieldAt;
  readonly actual: FieldAt;
  readonly selector: FieldAt | undefined;
}

/** Parses the paths of a definition. */
export function scalePathsOf({
  specReplicasPath,
  statusReplicasPath,
  labelSelectorPath,
}: CustomResourceSubresourceScale): ScalePaths {
  const at = (path: string): FieldAt => ({ path, fields: splitFieldPath(path) });
  return {
    desired: at(specReplicasPath),
    actual: at(statusReplicasPath),
    selector: labelSelectorPath ? at(labelSelectorPath) : undefined,
  };
}

/** The converter of one version. */
export function createScaleConverter(scale: ScalePaths): ScaleConverter {
  const missing = `the spec replicas field "${scale.desired.path}" `;
  return {
    toScale(parent) {
      const { view, replicasFound } = readScale(parent, scale);
      if (!replicasFound) throw internalError(`${missing}does not exist`);
      return view;
    },
    toScaleForUpdate(parent) {
      const { view, replicasFound } = readScale(parent, scale);
      if (!replicasFound) (view.spec as JsonObject).replicas = absentReplicas;
      return view;
    },
    applyScale(parent, wanted) {
      const spec = isObject(wanted.spec) ? wanted.spec : {};
      const replicas = typeof spec.replicas === "number" ? spec.replicas : 0;
      if (replicas === absentReplicas) throw badRequestError(`${missing}cannot be empty`);
      const fault = setNestedField(parent, scale.desired.fields, replicas);
      if (fault !== undefined) throw plainError(fault);
    },
    replicasPath: scale.desired.fields.map((field) => `f:${field}`),
  };
}

function readScale(
  parent: JsonObject,
  scale: ScalePaths,
): { readonly view: JsonObject; readonly replicasFound: boolean } {
  const wanted = orThrow(nestedInt64(parent, scale.desired.fields));
  const actual = orThrow(nestedInt64(parent, scale.actual.fields));
  const selector = scale.selector && orThrow(nestedString(parent, scale.selector.fields));
  const replicas = toInt32(wanted ?? 0);
  const view = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: scaleMetadata(parent),
    spec: replicas ? { replicas } : {},
    status: { replicas: toInt32(actual ?? 0), ...(selector ? { selector } : {}) },
  };
  return { view, replicasFound: wanted !== undefined };
}

function scaleMetadata(parent: JsonObject): JsonObject {
  const source = isObject(parent.metadata) ? parent.metadata : {};
  const metadata: JsonObject = {};
  for (const field of ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"])
    if (source[field]) metadata[field] = source[field];
  return metadata;
}

/** Like Go's int32(int64), which keeps the low 32 bits. */
const toInt32 = (value: number | bigint): number => Number(BigInt.asIntN(32, BigInt(value)));

function orThrow<T>(nested: NestedValue<T>): T | undefined {
  if ("fault" in nested) throw plainError(nested.fault);
  return nested.found ? nested.value : undefined;
}

/** Validates the desired replicas. */
export function validateScaleSpec(object: JsonObject, scale: ScalePaths): readonly FieldError[] {
  return validateReplicas(object, scale.desired);
}

/** Validates the actual replicas and the selector. */
export function validateScaleStatus(object: JsonObject, scale: ScalePaths): readonly FieldError[] {
  const errors = validateReplicas(object, scale.actual);
  const selector = scale.selector && nestedString(object, scale.selector.fields);
  return selector && "fault" in selector
    ? [...errors, fieldError.invalid(scale.selector.path, "", selector.fault)]
    : errors;
}

const nothing: readonly FieldError[] = [];

function validateReplicas(object: JsonObject, { path, fields }: FieldAt): readonly FieldError[] {
  const replicas = nestedInt64(object, fields);
  if ("fault" in replicas) return [fieldError.invalid(path, 0, replicas.fault)];
  if (!replicas.found) return nothing;
  if (replicas.value < 0)
    return [fieldError.invalid(path, replicas.value, "should be a non-negative integer")];
  return replicas.value > maxInt32
    ? [fieldError.invalid(path, replicas.value, `should be less than or equal to ${maxInt32}`)]
    : nothing;
}
