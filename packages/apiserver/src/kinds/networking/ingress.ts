// Ingresses: hosts, paths and the services behind them.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ingress/strategy.go,
// pkg/apis/networking/validation/validation.go, pkg/printers/internalversion/printers.go
// (printIngress).
import type { Json, JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import type { WriteContext } from "../../registry/served-resource.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { ipWarnings } from "../object/ip-addresses.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { itemsAt } from "../object/read-fields.ts";
import {
  finalizerErrors,
  metadataOf,
  objectAt,
  specStatusRules,
  statusViewRules,
  stringAt,
} from "../object/strategy.ts";
import { formatBalancer } from "./format-balancer.ts";
import {
  hasInvalidSecretName,
  hasInvalidWildcardRule,
  validateIngressSpec,
  validateIngressStatus,
} from "./validate-ingress.ts";

const classAnnotation = "kubernetes.io/ingress.class";

export const ingress: BuiltinKind = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  rules: {
    ...specStatusRules,
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
  views: {
    status: {
      ...statusViewRules,
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
    formatBalancer(object),
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
