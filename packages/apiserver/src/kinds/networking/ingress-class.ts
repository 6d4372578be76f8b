// Ingress classes: which controller serves an ingress, and with which parameters.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ingressclass/strategy.go,
// pkg/apis/networking/{v1/defaults.go,validation}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, dnsLabelFaults, type Json } from "homeostat/api";
import type {
  IngressClass,
  IngressClassParametersReference,
  IngressClassSpec,
} from "homeostat/k8s/networking/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { domainPathErrors } from "../validation/name-faults.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { generationStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors, immutable, metadataErrors } from "../validation/validate-object.ts";
import { validateLocalReference } from "./validate-ingress.ts";

const maxControllerBytes = 250;
const scopes = ["Cluster", "Namespace"];

export const ingressClass: KindDefinition<Decoded<IngressClass>> = {
  ...gvk("networking.k8s.io/v1", "IngressClass"),
  defaults(object) {
    if (object.spec?.parameters) object.spec.parameters.scope ??= "Cluster";
  },
  strategy: {
    ...generationStrategy("spec"),
    validateCreate: (object) => [...finalizerErrors(object), ...validateSpec(object.spec ?? {})],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...immutable("spec.controller", object.spec?.controller ?? "", old.spec?.controller ?? ""),
      ...metadataErrors(object, { namespaced: false }),
      ...validateSpec(object.spec ?? {}),
    ],
  },
  cells,
};

type Parameters = Decoded<IngressClassParametersReference>;

function validateSpec(spec: Decoded<IngressClassSpec>): FieldError[] {
  const controller = spec.controller ?? "";
  return [
    ...errorIf(Buffer.byteLength(controller) > maxControllerBytes, () =>
      fieldError.tooLong("spec.controller", maxControllerBytes),
    ),
    ...domainPathErrors(controller, "spec.controller"),
    ...(spec.parameters ? validateParameters(spec.parameters, "spec.parameters") : []),
  ];
}

function validateParameters(parameters: Parameters, path: string): FieldError[] {
  return [...validateLocalReference(parameters, path), ...scopeErrors(parameters, path)];
}

function scopeErrors(parameters: Parameters, path: string): FieldError[] {
  const scope = parameters.scope ?? "";
  const namespace = parameters.namespace;
  if (!scopes.includes(scope)) return [fieldError.notSupported(`${path}.scope`, scope, scopes)];
  if (scope === "Cluster")
    return errorIf(typeof namespace === "string", () =>
      fieldError.forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"),
    );
  if (typeof namespace !== "string")
    return [fieldError.required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  return dnsLabelFaults(namespace).map((fault) =>
    fieldError.invalid(`${path}.namespace`, namespace, fault),
  );
}

function cells(object: Decoded<IngressClass>, ages: CellAges): readonly Json[] {
  const isDefault =
    metadataOf(object).annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";
  const spec = object.spec ?? {};
  return [
    isDefault ? `${nameOf(object)} (default)` : nameOf(object),
    spec.controller ?? "",
    formatParameters(spec.parameters),
    ageOf(object, ages),
  ];
}

function formatParameters(parameters: Parameters | null | undefined): string {
  if (!parameters) return "<none>";
  const group = parameters.apiGroup;
  return `${parameters.kind ?? ""}${typeof group === "string" ? `.${group}` : ""}/${parameters.name ?? ""}`;
}
