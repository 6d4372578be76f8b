// Storage classes and volume attributes classes: who makes volumes, and with which parameters.
// Upstream:
// k8s.io/kubernetes/pkg/registry/storage/{storageclass,volumeattributesclass}/strategy.go,
// pkg/apis/storage/{v1/defaults.go,validation/validation.go}, pkg/apis/storage/util/helpers.go.
import { equalJson, type JsonObject, labelKeyFaults } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nodeLabelMessage } from "../validation/deprecated-node-labels.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  itemsAt,
  setIfNil,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, immutable } from "../definition/default-strategy.ts";

const group = "storage.k8s.io";
const maxParameters = 512;
const maxParameterBytes = 256 * 1024;
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClass: KindDefinition = {
  group,
  version: "v1",
  kind: "StorageClass",
  returnsDeletedObject: true,
  defaults(object) {
    setIfNil(object, "reclaimPolicy", "Delete");
    setIfNil(object, "volumeBindingMode", "Immediate");
  },
  strategy: {
    validateCreate: (object, context) =>
      warned(object, context, [...finalizerErrors(object), ...validateClass(object)]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validateClass(object),
        ...immutable("parameters", object["parameters"] ?? null, old["parameters"] ?? null),
        ...["provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
          immutable(field, object[field], old[field]),
        ),
      ]),
  },
  cells: (object, nowMs) => {
    const annotations = objectAt(metadataOf(object), "annotations");
    const name = defaultAnnotations.some((key) => annotations[key] === "true")
      ? `${nameOf(object)} (default)`
      : nameOf(object);
    return [
      name,
      stringAt(object, "provisioner"),
      stringAt(object, "reclaimPolicy"),
      stringAt(object, "volumeBindingMode"),
      object["allowVolumeExpansion"] === true,
      ageOf(object, nowMs),
    ];
  },
};

export const volumeAttributesClass: KindDefinition = {
  group,
  version: "v1",
  kind: "VolumeAttributesClass",
  returnsDeletedObject: true,
  strategy: {
    validateCreate: (object) => [...finalizerErrors(object), ...validateAttributes(object)],
    validateUpdate: (object, old) => [
      ...(stringAt(object, "driverName") === stringAt(old, "driverName")
        ? []
        : [forbidden("driverName", "updates to driverName are forbidden.")]),
      ...(equalJson(
        textMapAt(object, "parameters") as JsonObject,
        textMapAt(old, "parameters") as JsonObject,
      )
        ? []
        : [forbidden("parameters", "updates to parameters are forbidden.")]),
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
      ...finalizerErrors(object),
      ...validateAttributes(object),
    ],
  },
  cells: (object, nowMs) => [nameOf(object), stringAt(object, "driverName"), ageOf(object, nowMs)],
};

function validateAttributes(object: JsonObject): FieldError[] {
  const none = Object.keys(textMapAt(object, "parameters")).length === 0;
  return [
    ...provisionerErrors(object, "driverName"),
    ...parameterErrors(object),
    ...(none ? [required("parameters", "must contain at least one key/value pair")] : []),
  ];
}

function validateClass(object: JsonObject): FieldError[] {
  const policy = stringAt(object, "reclaimPolicy");
  const mode = stringAt(object, "volumeBindingMode");
  return [
    ...provisionerErrors(object, "provisioner"),
    ...parameterErrors(object),
    ...(policy && !reclaimPolicies.includes(policy)
      ? [notSupported("reclaimPolicy", policy, reclaimPolicies)]
      : []),
    ...(bindingModes.includes(mode) ? [] : [notSupported("volumeBindingMode", mode, bindingModes)]),
    ...topologyErrors(itemsAt(object, "allowedTopologies")),
  ];
}

function provisionerErrors(object: JsonObject, field: string): FieldError[] {
  const name = stringAt(object, field);
  const lower = name.toLowerCase();
  return name
    ? labelKeyFaults(lower).map((fault) => invalid(field, lower, fault))
    : [required(field, "")];
}

function parameterErrors(object: JsonObject): FieldError[] {
  const parameters = textMapAt(object, "parameters");
  const keys = Object.keys(parameters);
  if (keys.length > maxParameters) return [tooLong("parameters", maxParameters)];
  const bytes = keys.reduce(
    (sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(parameters[key]!),
    0,
  );
  return [
    ...(keys.includes("") ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...(bytes > maxParameterBytes ? [tooLong("parameters", maxParameterBytes)] : []),
  ];
}

/** Upstream compares with as many empty terms as there are terms, and with the earlier ones. */
function topologyErrors(terms: readonly JsonObject[]): FieldError[] {
  const seen = terms.map(() => "{}");
  return terms.flatMap((term, i) => {
    const errors = termErrors(term, `allowedTopologies[${i}]`);
    const shape = JSON.stringify(
      Object.fromEntries(
        itemsAt(term, "matchLabelExpressions")
          .map((each) => [stringAt(each, "key"), [...new Set(textsAt(each, "values"))].sort()])
          .sort(),
      ),
    );
    errors.push(
      ...seen
        .filter((each) => each === shape)
        .map(() => duplicate(`allowedTopologies[${i}].matchLabelExpressions`, "")),
    );
    seen.push(shape);
    return errors;
  });
}

function termErrors(term: JsonObject, path: string): FieldError[] {
  const keys = new Set<string>();
  return itemsAt(term, "matchLabelExpressions").flatMap((expression, i) => {
    const at = `${path}.matchLabelExpressions[${i}]`;
    const key = stringAt(expression, "key");
    const values = textsAt(expression, "values");
    const errors = values.length ? [] : [required(`${at}.values`, "")];
    values.forEach(
      (value, j) =>
        values.indexOf(value) < j && errors.push(duplicate(`${at}.values[${j}]`, value)),
    );
    errors.push(...labelKeyFaults(key).map((fault) => invalid(`${at}.key`, key, fault)));
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
    return errors;
  });
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  itemsAt(object, "allowedTopologies").forEach((term, i) =>
    itemsAt(term, "matchLabelExpressions").forEach((expression, j) => {
      const message = nodeLabelMessage(stringAt(expression, "key"));
      if (message)
        context.warn(`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${message}`);
    }),
  );
  return errors;
}
