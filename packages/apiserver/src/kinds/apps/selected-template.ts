// What workloads share: a selector that must choose the pods of their own template, printing,
// scaling, warnings.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector),
// pkg/apis/apps/validation/validation.go (ValidatePodTemplateSpecForReplicaSet),
// pkg/registry/apps/*/storage (ScaleREST).
import {
  dnsLabelFaults,
  type Json,
  type JsonObject,
  labelKeyFaults,
  labelValueFaults,
  type LabelSelector,
  matchesLabels,
} from "homeostat/api";
import { invalidError } from "../../apimachinery/errors/api-errors.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { ScaleConverter } from "../../apimachinery/rest/scale-converter.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import {
  formatSelector,
  isEmptySelector,
  validateLabelSelector,
} from "../validation/label-selectors.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { podTemplateWarnings } from "../core/pod/warnings/pod-warnings.ts";
import { nonNegative } from "../validation/field-rules.ts";

/** What a LabelSelector chooses; upstream's Nothing and Everything apart. */
export type Chosen = "nothing" | "everything" | LabelSelector;

const operators: ReadonlyMap<string, "in" | "notin" | "exists" | "!"> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** undefined for a selector that cannot be used. */
export function choose(selector: JsonObject | undefined): Chosen | undefined {
  if (!selector) return "nothing";
  if (isEmptySelector(selector)) return "everything";
  const labels = Object.entries(textMapAt(selector, "matchLabels")).map(([key, value]) => ({
    key,
    operator: "=" as const,
    values: [value],
  }));
  const expressions = itemsAt(selector, "matchExpressions").map((expression) => ({
    key: stringAt(expression, "key"),
    operator: operators.get(stringAt(expression, "operator")),
    values: textsAt(expression, "values"),
  }));
  const all = [...labels, ...expressions];
  const usable = all.every(({ key, operator, values }) => {
    const counts =
      operator === "in" || operator === "notin"
        ? values.length > 0
        : operator === "=" || (operator !== undefined && values.length === 0);
    return (
      counts &&
      !labelKeyFaults(key).length &&
      values.every((value) => !labelValueFaults(value).length)
    );
  });
  return usable ? (all as LabelSelector) : undefined;
}

/** Whether labels are chosen. */
export function isChosen(chosen: Chosen, labels: Readonly<Record<string, string>>): boolean {
  return chosen === "everything" || (chosen !== "nothing" && matchesLabels(chosen, labels));
}

/** The labels of a template must be chosen by the workload's own selector. */
export function labelErrors(chosen: Chosen, template: JsonObject, path: string): FieldError[] {
  const metadata = objectAt(template, "metadata");
  return isChosen(chosen, textMapAt(metadata, "labels"))
    ? []
    : [
        invalid(
          `${path}.metadata.labels`,
          metadata["labels"],
          "`selector` does not match template `labels`",
        ),
      ];
}

/**
 * A selector that is there, valid, and not empty. Upstream calls every workload but its own a
 * deployment.
 */
export function selectorErrors(
  selector: JsonObject | undefined,
  path: string,
  emptyFor: string,
): FieldError[] {
  if (!selector) return [required(path, "")];
  return [
    ...validateLabelSelector(selector, path),
    ...(isEmptySelector(selector)
      ? [invalid(path, selector, `empty selector is invalid for ${emptyFor}`)]
      : []),
  ];
}

/** Pods of workloads run for ever. */
export function endlessErrors(template: JsonObject, path: string, kind: string): FieldError[] {
  const spec = objectAt(template, "spec");
  const policy = stringAt(spec, "restartPolicy");
  return [
    ...(policy === "Always"
      ? []
      : [notSupported(`${path}.spec.restartPolicy`, policy, ["Always"])]),
    ...(isSet(spec["activeDeadlineSeconds"])
      ? [
          forbidden(
            `${path}.spec.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]
      : []),
  ];
}

/** Pod names and host names come of the workload's name. */
export function nameWarnings(object: JsonObject): string[] {
  const faults = dnsLabelFaults(stringAt(metadataOf(object), "name"));
  return faults.length
    ? [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
      ]
    : [];
}

/** The template of a workload. */
export const templateOf = (object: JsonObject): JsonObject =>
  objectAt(objectAt(object, "spec"), "template");

/** Gives the warnings of a changed workload's template to the client. */
export function warnOfTemplate(object: JsonObject, context: WriteContext): void {
  for (const text of podTemplateWarnings(templateOf(object), "spec.template")) context.warn(text);
}

/** As {@link warnOfTemplate}, where the generation has gone up. */
export function warnOfChange(object: JsonObject, old: JsonObject, context: WriteContext): void {
  if (Number(metadataOf(object)["generation"] ?? 0) !== Number(metadataOf(old)["generation"] ?? 0))
    warnOfTemplate(object, context);
}

/** Names and images of the template's containers, as wide tables show them. */
export function containerCells(template: JsonObject): readonly [names: string, images: string] {
  const containers = itemsAt(objectAt(template, "spec"), "containers");
  return [
    containers.map((container) => stringAt(container, "name")).join(","),
    containers.map((container) => stringAt(container, "image")).join(","),
  ];
}

/** The selector as tables show it. */
export function selectorCell(object: JsonObject): string {
  const selector = mutableAt(objectAt(object, "spec"), "selector");
  return selector ? formatSelector(selector) : "<none>";
}

/**
 * Errors for numbers of a status that must not be negative, and for those that must not exceed
 * others.
 */
export function countErrors(status: JsonObject, fields: readonly string[]): FieldError[] {
  return fields
    .filter((field) => isSet(status[field]))
    .flatMap((field) => nonNegative(numberAt(status, field), `status.${field}`));
}

/** `a` must not be more than `b`. */
export function excessErrors(
  status: JsonObject,
  field: string,
  bound: string,
  text: string,
): FieldError[] {
  const value = numberAt(status, field);
  return value > numberAt(status, bound) ? [invalid(`status.${field}`, value, text)] : [];
}

/** collisionCount only grows. */
export function collisionErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const before = objectAt(old, "status")["collisionCount"];
  const now = objectAt(object, "status")["collisionCount"];
  const decremented = isSet(before) && (!isSet(now) || Number(now) < Number(before));
  return decremented
    ? [invalid("status.collisionCount", Number(now ?? 0), "cannot be decremented")]
    : [];
}

/**
 * The scale subresource of a workload with spec.replicas and status.replicas; `selectorText` is how
 * clients find its pods.
 */
export function createReplicaScale(selectorText: (parent: JsonObject) => string): ScaleConverter {
  return {
    toScale: (parent) => ({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: scaleMetadata(parent),
      spec: replicasOf(objectAt(parent, "spec")["replicas"]),
      status: {
        replicas: numberAt(objectAt(parent, "status"), "replicas"),
        selector: selectorText(parent),
      },
    }),
    applyScale(parent, scale) {
      const replicas = numberAt(objectAt(scale, "spec"), "replicas");
      if (replicas < 0)
        throw invalidError(
          { group: "autoscaling", kind: "Scale" },
          stringAt(metadataOf(parent), "name"),
          nonNegative(replicas, "spec.replicas"),
        );
      parent["spec"] = { ...objectAt(parent, "spec"), replicas };
    },
    replicasPath: ["f:spec", "f:replicas"],
  };
}

const replicasOf = (replicas: Json | undefined): JsonObject => (replicas ? { replicas } : {});

function scaleMetadata(parent: JsonObject): JsonObject {
  const source = metadataOf(parent);
  return Object.fromEntries(
    (["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] as const)
      .filter((field) => isSet(source[field]))
      .map((field) => [field, source[field]!]),
  );
}
