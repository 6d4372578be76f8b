// Ingresses: hosts, paths and the services that they route to.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ingress/strategy.go,
// pkg/apis/networking/validation/validation.go, pkg/printers/internalversion/printers.go
// (printIngress).
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type { Ingress, IngressSpec } from "homeostat/k8s/networking/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ipWarnings } from "../validation/ip-addresses.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { specStatusStrategy, statusStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors, metadataErrors } from "../validation/validate-object.ts";
import { formatLoadBalancer } from "../printers/format-load-balancer.ts";
import { validateIngressSpec, validateIngressStatus } from "./validate-ingress.ts";

const classAnnotation = "kubernetes.io/ingress.class";

export const ingress: KindDefinition<Decoded<Ingress>> = {
  ...gvk("networking.k8s.io/v1", "Ingress"),
  etcdPrefix: "ingress",
  strategy: {
    ...specStatusStrategy,
    prepareForCreate(object) {
      object.status = { loadBalancer: {} };
      metadataOf(object).generation = 1;
    },
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...validateIngressSpec(object.spec ?? {}, {}),
      ...classErrors(object),
    ],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...metadataErrors(object, { namespaced: true }),
      ...validateIngressSpec(object.spec ?? {}, old.spec ?? {}),
    ],
    warningsOnCreate: annotationWarnings,
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object, old) => [
        ...finalizerErrors(object),
        ...validateIngressStatus(object.status ?? {}, old.status ?? {}),
      ],
      warningsOnUpdate: ({ status }) =>
        eachItem(status?.loadBalancer?.ingress, "status.loadBalancer.ingress", ({ ip }, at) =>
          ipWarnings(ip ?? "", at),
        ),
    },
  },
  cells,
};

const annotationOf = (object: Decoded<Ingress>): string | undefined =>
  metadataOf(object).annotations?.[classAnnotation];

function classErrors(object: Decoded<Ingress>): FieldError[] {
  const annotation = annotationOf(object);
  const name = object.spec?.ingressClassName;
  return errorIf(annotation !== undefined && isSet(name) && annotation !== name, () =>
    fieldError.invalid(
      `annotations.${classAnnotation}`,
      annotation,
      "must match `ingressClassName` when both are specified",
    ),
  );
}

function annotationWarnings(object: Decoded<Ingress>): readonly string[] {
  return annotationOf(object) !== undefined && !isSet(object.spec?.ingressClassName)
    ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
}

const maxHosts = 3;

function cells(object: Decoded<Ingress>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const ports = (spec.tls ?? []).length ? "80, 443" : "80";
  return [
    nameOf(object),
    spec.ingressClassName ?? "<none>",
    formatHosts(spec),
    formatLoadBalancer(object.status?.loadBalancer),
    ports,
    ageOf(object, ages),
  ];
}

/** The first three hosts, and the number of rules beyond three. */
function formatHosts(spec: Decoded<IngressSpec>): string {
  const rules = spec.rules ?? [];
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === maxHosts) more = true;
    if (!more && rule.host) hosts.push(rule.host);
  }
  if (!hosts.length) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - maxHosts} more...` : hosts.join(",");
}
