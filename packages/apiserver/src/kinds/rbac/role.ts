// Roles and cluster roles.
// Upstream: k8s.io/kubernetes/pkg/registry/rbac/{role,clusterrole}/strategy.go,
// pkg/apis/rbac/validation/validation.go.
import type { Decoded } from "homeostat/api";
import type { ClusterRole, PolicyRule, Role } from "homeostat/k8s/rbac/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { gvk, type KindDefinition, type StrategyOverrides } from "../definition/kind-definition.ts";
import { type LabelSelectorRules, validateLabelSelector } from "../validation/label-selectors.ts";
import { nameIsPathSegment } from "../validation/names.ts";
import { hasItems } from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors } from "../validation/validate-object.ts";

const commonStrategy: StrategyOverrides = {
  allowCreateOnUpdate: true,
  validateName: nameIsPathSegment,
};

export const role: KindDefinition<Decoded<Role>> = {
  ...gvk("rbac.authorization.k8s.io/v1", "Role"),
  strategy: {
    ...commonStrategy,
    validateCreate: (object) => validateRole(object, "namespaced"),
    validateUpdate: (object) => [
      ...validateObjectMeta(object, { namespaced: true }, nameIsPathSegment),
      ...validateRole(object, "namespaced"),
    ],
  },
};

export const clusterRole: KindDefinition<Decoded<ClusterRole>> = {
  ...gvk("rbac.authorization.k8s.io/v1", "ClusterRole"),
  strategy: {
    ...commonStrategy,
    validateCreate: (object) => [
      ...validateRole(object, "cluster"),
      ...validateAggregation(object, { invalidValues: "refused" }),
    ],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: false }, nameIsPathSegment),
      ...validateRole(object, "cluster"),
      ...validateAggregation(object, {
        invalidValues: validateAggregation(old, { invalidValues: "refused" }).length
          ? "allowed"
          : "refused",
      }),
    ],
  },
};

function validateRole(
  object: Decoded<Role> | Decoded<ClusterRole>,
  scope: "namespaced" | "cluster",
): FieldError[] {
  return [
    ...finalizerErrors(object),
    ...eachItem(object.rules, "rules", (rule, at) => validateRule(rule, scope, at)),
  ];
}

function validateRule(
  rule: Decoded<PolicyRule>,
  scope: "namespaced" | "cluster",
  path: string,
): FieldError[] {
  const errors: FieldError[] = errorIf(!hasItems(rule.verbs), () =>
    fieldError.required(`${path}.verbs`, "verbs must contain at least one value"),
  );
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length) {
    if (scope === "namespaced")
      errors.push(
        fieldError.invalid(
          `${path}.nonResourceURLs`,
          urls,
          "namespaced rules cannot apply to non-resource URLs",
        ),
      );
    if (
      (["apiGroups", "resources", "resourceNames"] as const).some((field) => hasItems(rule[field]))
    )
      errors.push(
        fieldError.invalid(
          `${path}.nonResourceURLs`,
          urls,
          "rules cannot apply to both regular resources and non-resource URLs",
        ),
      );
    return errors;
  }
  if (!hasItems(rule.apiGroups))
    errors.push(
      fieldError.required(`${path}.apiGroups`, "resource rules must supply at least one api group"),
    );
  if (!hasItems(rule.resources))
    errors.push(
      fieldError.required(`${path}.resources`, "resource rules must supply at least one resource"),
    );
  return errors;
}

function validateAggregation(
  object: Decoded<ClusterRole>,
  rules: LabelSelectorRules,
): FieldError[] {
  if (!object.aggregationRule) return [];
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = object.aggregationRule.clusterRoleSelectors ?? [];
  if (!selectors.length)
    return [
      fieldError.required(
        path,
        "at least one clusterRoleSelector required if aggregationRule is non-nil",
      ),
    ];
  return eachItem(selectors, path, (selector, at) => {
    const errors = validateLabelSelector(selector, at, rules);
    // Upstream reports a selector that cannot be converted once more; the value printed is the
    // empty selector that the conversion yields.
    const unreadable = validateLabelSelector(selector, "").length > 0;
    return unreadable
      ? [...errors, fieldError.invalid(at, null, "invalid label selector.")]
      : errors;
  });
}
