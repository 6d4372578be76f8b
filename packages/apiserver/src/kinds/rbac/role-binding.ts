// Role bindings: who gets which role; the role of a binding never changes.
// Upstream: k8s.io/kubernetes/pkg/registry/rbac/{rolebinding,clusterrolebinding}/strategy.go,
// pkg/apis/rbac/v1/defaults.go, pkg/apis/rbac/validation/validation.go, pkg/apis/rbac/helpers.go
// (SubjectsStrings).
import {
  dnsSubdomainFaults,
  equalJson,
  type Json,
  type JsonObject,
  pathSegmentFaults,
} from "homeostat/api";
import {
  type FieldError,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsPathSegment } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { itemsAt, setIfEmpty, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors } from "../definition/default-strategy.ts";

const group = "rbac.authorization.k8s.io";

export const roleBinding: KindDefinition = bindingKind("RoleBinding", "namespaced");
export const clusterRoleBinding: KindDefinition = bindingKind("ClusterRoleBinding", "cluster");

type Scope = "namespaced" | "cluster";

function bindingKind(kind: string, scope: Scope): KindDefinition {
  return {
    group,
    version: "v1",
    kind,
    defaults,
    strategy: {
      allowCreateOnUpdate: true,
      validateName: nameIsPathSegment,
      validateCreate: (object) => [...finalizerErrors(object), ...validate(object, scope)],
      validateUpdate: (object, old) => [
        ...validateObjectMeta(object, { namespaced: scope === "namespaced" }, nameIsPathSegment),
        ...finalizerErrors(object),
        ...validate(object, scope),
        ...roleChangeErrors(object, old),
      ],
    },
    cells,
  };
}

function defaults(object: JsonObject): void {
  setIfEmpty(objectAt(object, "roleRef"), "apiGroup", group);
  for (const subject of itemsAt(object, "subjects"))
    if (["User", "Group"].includes(stringAt(subject, "kind")))
      setIfEmpty(subject, "apiGroup", group);
}

function validate(object: JsonObject, scope: Scope): FieldError[] {
  const role = objectAt(object, "roleRef");
  const name = stringAt(role, "name");
  const kinds = scope === "namespaced" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return [
    ...oneOf(role, "apiGroup", [group], "roleRef"),
    ...oneOf(role, "kind", kinds, "roleRef"),
    ...(name
      ? pathSegmentFaults(name).map((fault) => invalid("roleRef.name", name, fault))
      : [required("roleRef.name", "")]),
    ...itemsAt(object, "subjects").flatMap((subject, i) =>
      validateSubject(subject, scope, `subjects[${i}]`),
    ),
  ];
}

function validateSubject(subject: JsonObject, scope: Scope, path: string): FieldError[] {
  const name = stringAt(subject, "name");
  const nameErrors = name ? [] : [required(`${path}.name`, "")];
  switch (stringAt(subject, "kind")) {
    case "ServiceAccount":
      return [
        ...nameErrors,
        ...(name
          ? dnsSubdomainFaults(name).map((fault) => invalid(`${path}.name`, name, fault))
          : []),
        ...(stringAt(subject, "apiGroup") ? oneOf(subject, "apiGroup", [""], path) : []),
        ...(scope === "cluster" && !stringAt(subject, "namespace")
          ? [required(`${path}.namespace`, "")]
          : []),
      ];
    case "User":
    case "Group":
      return [...nameErrors, ...oneOf(subject, "apiGroup", [group], path)];
    default:
      return [...nameErrors, ...oneOf(subject, "kind", ["ServiceAccount", "User", "Group"], path)];
  }
}

const oneOf = (
  object: JsonObject,
  field: string,
  values: readonly string[],
  path: string,
): FieldError[] =>
  values.includes(stringAt(object, field))
    ? []
    : [notSupported(`${path}.${field}`, stringAt(object, field), values)];

function roleChangeErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const role = object["roleRef"];
  return equalJson(role ?? {}, old["roleRef"] ?? {})
    ? []
    : [invalidInternal("roleRef", ["rbac.RoleRef", role], "cannot change roleRef")];
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const role = objectAt(object, "roleRef");
  const subjects = itemsAt(object, "subjects");
  const named = (kind: string, text: (subject: JsonObject) => string): string =>
    subjects
      .filter((subject) => subject["kind"] === kind)
      .map(text)
      .join(", ");
  const name = (subject: JsonObject): string => stringAt(subject, "name");
  const account = (subject: JsonObject): string =>
    `${stringAt(subject, "namespace")}/${name(subject)}`;
  return [
    nameOf(object),
    `${stringAt(role, "kind")}/${stringAt(role, "name")}`,
    ageOf(object, nowMs),
    named("User", name),
    named("Group", name),
    named("ServiceAccount", account),
  ];
}
