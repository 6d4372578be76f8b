// Role bindings and cluster role bindings; roleRef is immutable.
// Upstream: k8s.io/kubernetes/pkg/registry/rbac/{rolebinding,clusterrolebinding}/strategy.go,
// pkg/apis/rbac/v1/defaults.go, pkg/apis/rbac/validation/validation.go, pkg/apis/rbac/helpers.go
// (SubjectsStrings).
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import {
  type Decoded,
  dnsSubdomainFaults,
  equalJson,
  type Json,
  pathSegmentFaults,
} from "homeostat/api";
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "homeostat/k8s/rbac/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nameIsPathSegment } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { validateWholeObject } from "../validation/validate-object.ts";

const group = "rbac.authorization.k8s.io";

type Binding = Decoded<RoleBinding> | Decoded<ClusterRoleBinding>;

export const roleBinding: KindDefinition<Decoded<RoleBinding>> = bindingKind(
  "RoleBinding",
  "namespaced",
);
export const clusterRoleBinding: KindDefinition<Decoded<ClusterRoleBinding>> = bindingKind(
  "ClusterRoleBinding",
  "cluster",
);

type Scope = "namespaced" | "cluster";

function bindingKind(kind: string, scope: Scope): KindDefinition<Binding> {
  return {
    ...gvk("rbac.authorization.k8s.io/v1", kind),
    defaults,
    strategy: {
      allowCreateOnUpdate: true,
      ...validateWholeObject({
        namespaced: scope === "namespaced",
        validateName: nameIsPathSegment,
        validate: (object) => validate(object, scope),
        validateChange: roleChangeErrors,
      }),
    },
    cells,
  };
}

function defaults(object: Binding): void {
  if (object.roleRef) object.roleRef.apiGroup ||= group;
  for (const subject of object.subjects ?? [])
    if (["User", "Group"].includes(subject.kind ?? "")) subject.apiGroup ||= group;
}

function validate(object: Binding, scope: Scope): FieldError[] {
  const role = object.roleRef ?? {};
  const name = role.name ?? "";
  const kinds = scope === "namespaced" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return [
    ...oneOf(role, "apiGroup", [group], "roleRef"),
    ...oneOf(role, "kind", kinds, "roleRef"),
    ...(name
      ? pathSegmentFaults(name).map((fault) => fieldError.invalid("roleRef.name", name, fault))
      : [fieldError.required("roleRef.name", "")]),
    ...eachItem(object.subjects, "subjects", (subject, at) => validateSubject(subject, scope, at)),
  ];
}

function validateSubject(subject: Decoded<Subject>, scope: Scope, path: string): FieldError[] {
  const name = subject.name ?? "";
  const nameErrors = errorIf(!name, () => fieldError.required(`${path}.name`, ""));
  switch (subject.kind) {
    case "ServiceAccount":
      return [
        ...nameErrors,
        ...(name
          ? dnsSubdomainFaults(name).map((fault) => fieldError.invalid(`${path}.name`, name, fault))
          : []),
        ...(subject.apiGroup ? oneOf(subject, "apiGroup", [""], path) : []),
        ...errorIf(scope === "cluster" && !subject.namespace, () =>
          fieldError.required(`${path}.namespace`, ""),
        ),
      ];
    case "User":
    case "Group":
      return [...nameErrors, ...oneOf(subject, "apiGroup", [group], path)];
    default:
      return [...nameErrors, ...oneOf(subject, "kind", ["ServiceAccount", "User", "Group"], path)];
  }
}

function oneOf(
  object: Decoded<RoleRef> | Decoded<Subject>,
  field: "apiGroup" | "kind",
  values: readonly string[],
  path: string,
): FieldError[] {
  const value = object[field] ?? "";
  return errorIf(!values.includes(value), () =>
    fieldError.notSupported(`${path}.${field}`, value, values),
  );
}

function roleChangeErrors(object: Binding, old: Binding): FieldError[] {
  const role = object.roleRef;
  return errorIf(!equalJson(role ?? {}, old.roleRef ?? {}), () =>
    fieldError.invalidInternal("roleRef", ["rbac.RoleRef", role], "cannot change roleRef"),
  );
}

function cells(object: Binding, ages: CellAges): readonly Json[] {
  const role = object.roleRef ?? {};
  const subjects = object.subjects ?? [];
  const named = (kind: string, text: (subject: Decoded<Subject>) => string): string =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(text)
      .join(", ");
  const name = (subject: Decoded<Subject>): string => subject.name ?? "";
  const account = (subject: Decoded<Subject>): string =>
    `${subject.namespace ?? ""}/${name(subject)}`;
  return [
    nameOf(object),
    `${role.kind ?? ""}/${role.name ?? ""}`,
    ageOf(object, ages),
    named("User", name),
    named("Group", name),
    named("ServiceAccount", account),
  ];
}
