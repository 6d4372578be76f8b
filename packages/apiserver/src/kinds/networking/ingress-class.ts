// Ingress classes: which controller serves an ingress, and its parameters.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ingressclass/strategy.go,
// pkg/apis/networking/{v1/defaults.go,validation}.
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  isObject,
  type Json,
  type JsonObject,
  pathSegmentFaults,
} from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { domainPathErrors } from "../validation/name-faults.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { setIfNil, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration, finalizerErrors, immutable } from "../definition/default-strategy.ts";

const maxControllerBytes = 250;
const scopes = ["Cluster", "Namespace"];

export const ingressClass: KindDefinition = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  defaults(object) {
    const parameters = objectAt(object, "spec")["parameters"];
    if (isObject(parameters)) setIfNil(parameters, "scope", "Cluster");
  },
  strategy: {
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    prepareForUpdate: (object, old) => bumpGeneration(object, old, ["spec"]),
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...validateSpec(objectAt(object, "spec")),
    ],
    validateUpdate: (object, old) => [
      ...immutable(
        "spec.controller",
        stringAt(objectAt(object, "spec"), "controller"),
        stringAt(objectAt(old, "spec"), "controller"),
      ),
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
      ...finalizerErrors(object),
      ...validateSpec(objectAt(object, "spec")),
    ],
  },
  cells,
};

function validateSpec(spec: JsonObject): FieldError[] {
  const controller = stringAt(spec, "controller");
  return [
    ...(Buffer.byteLength(controller) > maxControllerBytes
      ? [tooLong("spec.controller", maxControllerBytes)]
      : []),
    ...domainPathErrors(controller, "spec.controller"),
    ...(isObject(spec["parameters"])
      ? validateParameters(spec["parameters"], "spec.parameters")
      : []),
  ];
}

function validateParameters(parameters: JsonObject, path: string): FieldError[] {
  const group = parameters["apiGroup"];
  const named = (field: string): FieldError[] => {
    const value = stringAt(parameters, field);
    return value
      ? pathSegmentFaults(value).map((fault) => invalid(`${path}.${field}`, value, fault))
      : [required(`${path}.${field}`, "")];
  };
  return [
    ...(typeof group === "string"
      ? dnsSubdomainFaults(group).map((fault) => invalid(`${path}.apiGroup`, group, fault))
      : []),
    ...named("kind"),
    ...named("name"),
    ...scopeErrors(parameters, path),
  ];
}

function scopeErrors(parameters: JsonObject, path: string): FieldError[] {
  const scope = stringAt(parameters, "scope");
  const namespace = parameters["namespace"];
  if (!scopes.includes(scope)) return [notSupported(`${path}.scope`, scope, scopes)];
  if (scope === "Cluster")
    return typeof namespace === "string"
      ? [forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : [];
  if (typeof namespace !== "string")
    return [required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  return dnsLabelFaults(namespace).map((fault) => invalid(`${path}.namespace`, namespace, fault));
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const isDefault =
    stringAt(
      objectAt(metadataOf(object), "annotations"),
      "ingressclass.kubernetes.io/is-default-class",
    ) === "true";
  const spec = objectAt(object, "spec");
  return [
    isDefault ? `${nameOf(object)} (default)` : nameOf(object),
    stringAt(spec, "controller"),
    formatParameters(spec["parameters"]),
    ageOf(object, nowMs),
  ];
}

function formatParameters(parameters: Json | undefined): string {
  if (!isObject(parameters)) return "<none>";
  const group = parameters["apiGroup"];
  return `${stringAt(parameters, "kind")}${typeof group === "string" ? `.${group}` : ""}/${stringAt(parameters, "name")}`;
}
