// Storage classes and volume attributes classes: which driver provisions or modifies volumes, and
// with which parameters.
// Upstream:
// k8s.io/kubernetes/pkg/registry/storage/{storageclass,volumeattributesclass}/strategy.go,
// pkg/apis/storage/{v1/defaults.go,validation/validation.go}, pkg/apis/storage/util/helpers.go.
import { type Decoded, equalJson, labelKeyFaults } from "homeostat/api";
import type { TopologySelectorTerm } from "homeostat/k8s/core/v1";
import type { StorageClass, VolumeAttributesClass } from "homeostat/k8s/storage/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nodeLabelMessage } from "../validation/deprecated-node-labels.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import {
  finalizerErrors,
  immutable,
  metadataErrors,
  validateWholeObject,
} from "../validation/validate-object.ts";

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClass: KindDefinition<Decoded<StorageClass>> = {
  ...gvk("storage.k8s.io/v1", "StorageClass"),
  returnsDeletedObject: true,
  defaults(object) {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
  strategy: {
    ...validateWholeObject({
      namespaced: false,
      validate: validateClass,
      validateChange: (object, old) => [
        ...immutable("parameters", object.parameters ?? null, old.parameters ?? null),
        ...(["provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((field) =>
          immutable(field, object[field], old[field]),
        ),
      ],
    }),
    warningsOnCreate: topologyWarnings,
    warningsOnUpdate: topologyWarnings,
  },
  cells: (object, ages) => {
    const annotations = metadataOf(object).annotations ?? {};
    const name = defaultAnnotations.some((key) => annotations[key] === "true")
      ? `${nameOf(object)} (default)`
      : nameOf(object);
    return [
      name,
      object.provisioner ?? "",
      object.reclaimPolicy ?? "",
      object.volumeBindingMode ?? "",
      object.allowVolumeExpansion === true,
      ageOf(object, ages),
    ];
  },
};

export const volumeAttributesClass: KindDefinition<Decoded<VolumeAttributesClass>> = {
  ...gvk("storage.k8s.io/v1", "VolumeAttributesClass"),
  returnsDeletedObject: true,
  strategy: {
    validateCreate: (object) => [...finalizerErrors(object), ...validateAttributes(object)],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...errorIf((object.driverName ?? "") !== (old.driverName ?? ""), () =>
        fieldError.forbidden("driverName", "updates to driverName are forbidden."),
      ),
      ...errorIf(!equalJson(object.parameters ?? {}, old.parameters ?? {}), () =>
        fieldError.forbidden("parameters", "updates to parameters are forbidden."),
      ),
      ...metadataErrors(object, { namespaced: false }),
      ...validateAttributes(object),
    ],
  },
  cells: (object, ages) => [nameOf(object), object.driverName ?? "", ageOf(object, ages)],
};

function validateAttributes(object: Decoded<VolumeAttributesClass>): FieldError[] {
  const none = Object.keys(object.parameters ?? {}).length === 0;
  return [
    ...driverNameErrors(object.driverName ?? "", "driverName"),
    ...parameterErrors(object.parameters ?? {}),
    ...errorIf(none, () =>
      fieldError.required("parameters", "must contain at least one key/value pair"),
    ),
  ];
}

function validateClass(object: Decoded<StorageClass>): FieldError[] {
  const policy = object.reclaimPolicy ?? "";
  const mode = object.volumeBindingMode ?? "";
  return [
    ...driverNameErrors(object.provisioner ?? "", "provisioner"),
    ...parameterErrors(object.parameters ?? {}),
    ...errorIf(policy && !reclaimPolicies.includes(policy), () =>
      fieldError.notSupported("reclaimPolicy", policy, reclaimPolicies),
    ),
    ...errorIf(!bindingModes.includes(mode), () =>
      fieldError.notSupported("volumeBindingMode", mode, bindingModes),
    ),
    ...topologyErrors(object.allowedTopologies ?? []),
  ];
}

function driverNameErrors(name: string, field: string): FieldError[] {
  const lower = name.toLowerCase();
  return name
    ? labelKeyFaults(lower).map((fault) => fieldError.invalid(field, lower, fault))
    : [fieldError.required(field, "")];
}

function parameterErrors(parameters: Readonly<Record<string, string>>): FieldError[] {
  const keys = Object.keys(parameters);
  if (keys.length > maxParameters) return [fieldError.tooLong("parameters", maxParameters)];
  const bytes = keys.reduce(
    (sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(parameters[key]!),
    0,
  );
  return [
    ...errorIf(keys.includes(""), () =>
      fieldError.invalid("parameters", "", "field can not be empty."),
    ),
    ...errorIf(bytes > maxParameterBytes, () =>
      fieldError.tooLong("parameters", maxParameterBytes),
    ),
  ];
}

/** Upstream compares with as many empty terms as there are terms, and with the earlier ones. */
function topologyErrors(terms: readonly Decoded<TopologySelectorTerm>[]): FieldError[] {
  const seen = terms.map(() => "{}");
  return eachItem(terms, "allowedTopologies", (term, at) => {
    const errors = termErrors(term, at);
    const shape = JSON.stringify(
      Object.fromEntries(
        (term.matchLabelExpressions ?? [])
          .map((each) => [each.key ?? "", [...new Set(each.values ?? [])].sort()])
          .sort(),
      ),
    );
    errors.push(
      ...seen
        .filter((each) => each === shape)
        .map(() => fieldError.duplicate(`${at}.matchLabelExpressions`, "")),
    );
    seen.push(shape);
    return errors;
  });
}

function termErrors(term: Decoded<TopologySelectorTerm>, path: string): FieldError[] {
  const keys = new Set<string>();
  return eachItem(term.matchLabelExpressions, `${path}.matchLabelExpressions`, (expression, at) => {
    const key = expression.key ?? "";
    const values = expression.values ?? [];
    const errors = errorIf(!values.length, () => fieldError.required(`${at}.values`, ""));
    values.forEach(
      (value, j) =>
        values.indexOf(value) < j && errors.push(fieldError.duplicate(`${at}.values[${j}]`, value)),
    );
    errors.push(...labelKeyFaults(key).map((fault) => fieldError.invalid(`${at}.key`, key, fault)));
    if (keys.has(key)) errors.push(fieldError.duplicate(`${at}.key`, key));
    keys.add(key);
    return errors;
  });
}

function topologyWarnings({ allowedTopologies }: Decoded<StorageClass>): readonly string[] {
  return eachItem(allowedTopologies, "allowedTopologies", (term, at) =>
    eachItem(term.matchLabelExpressions, `${at}.matchLabelExpressions`, ({ key }, at) => {
      const message = nodeLabelMessage(key ?? "");
      return message ? [`${at}.key: ${message}`] : [];
    }),
  );
}
