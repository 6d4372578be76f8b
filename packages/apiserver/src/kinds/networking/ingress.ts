// Ingresses: hosts, paths and the services behind them.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ingress/strategy.go,
// pkg/apis/networking/validation/validation.go, pkg/printers/internalversion/printers.go
// (printIngress).
import type { Json, JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ipWarnings } from "../validation/ip-addresses.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { itemsAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import {
  finalizerErrors,
  specStatusStrategy,
  statusStrategy,
} from "../definition/default-strategy.ts";
import { formatLoadBalancer } from "../printers/format-load-balancer.ts";
import {
  hasInvalidSecretName,
  hasInvalidWildcardRule,
  validateIngressSpec,
  validateIngressStatus,
} from "./validate-ingress.ts";

const classAnnotation = "kubernetes.io/ingress.class";

export const ingress: KindDefinition = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  strategy: {
    ...specStatusStrategy,
    prepareForCreate(object) {
      object["status"] = { loadBalancer: {} };
      metadataOf(object)["generation"] = 1;
    },
    validateCreate: (object, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateIngressSpec(objectAt(object, "spec"), {
          secretNames: "checked",
          wildcardRules: "checked",
        }),
        ...classErrors(object),
      ]),
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
      ...finalizerErrors(object),
      ...validateIngressSpec(objectAt(object, "spec"), {
        secretNames: hasInvalidSecretName(objectAt(old, "spec")) ? "as they are" : "checked",
        wildcardRules: hasInvalidWildcardRule(objectAt(old, "spec")) ? "as they are" : "checked",
      }),
    ],
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate(object, old, context) {
        const errors = validateIngressStatus(objectAt(object, "status"), objectAt(old, "status"));
        const balancers = itemsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress");
        if (!errors.length)
          balancers.forEach((each, i) =>
            ipWarnings(stringAt(each, "ip"), `status.loadBalancer.ingress[${i}]`).forEach(
              context.warn,
            ),
          );
        return errors;
      },
    },
  },
  cells,
};

const annotationOf = (object: JsonObject): Json | undefined =>
  objectAt(metadataOf(object), "annotations")[classAnnotation];

function classErrors(object: JsonObject): FieldError[] {
  const annotation = annotationOf(object);
  const name = objectAt(object, "spec")["ingressClassName"];
  return typeof annotation === "string" && typeof name === "string" && annotation !== name
    ? [
        invalid(
          `annotations.${classAnnotation}`,
          annotation,
          "must match `ingressClassName` when both are specified",
        ),
      ]
    : [];
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (
    !errors.length &&
    annotationOf(object) !== undefined &&
    typeof objectAt(object, "spec")["ingressClassName"] !== "string"
  )
    context.warn(
      `annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`,
    );
  return errors;
}

const maxHosts = 3;

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const className = spec["ingressClassName"];
  const ports = itemsAt(spec, "tls").length ? "80, 443" : "80";
  return [
    nameOf(object),
    typeof className === "string" ? className : "<none>",
    formatHosts(spec),
    formatLoadBalancer(objectAt(objectAt(object, "status"), "loadBalancer")),
    ports,
    ageOf(object, nowMs),
  ];
}

/**
 * The first hosts; from the fourth rule on only their number, counted from the hosts that are
 * shown.
 */
function formatHosts(spec: JsonObject): string {
  const rules = itemsAt(spec, "rules");
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === maxHosts) more = true;
    if (!more && stringAt(rule, "host")) hosts.push(stringAt(rule, "host"));
  }
  if (!hosts.length) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - maxHosts} more...` : hosts.join(",");
}
