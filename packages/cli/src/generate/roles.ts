// The service account of an operator and its roles.
import type { PolicyRule, RequiredPermissions } from "homeostat";
import type { JsonObject } from "homeostat/api";
import { labelsOf } from "./settings.ts";

const group = "rbac.authorization.k8s.io";

/** The service account, and a role with its binding for each place with rights. */
export function rolesOf(
  operator: string,
  namespace: string,
  permissions: RequiredPermissions,
): readonly JsonObject[] {
  const subject = { kind: "ServiceAccount", name: operator, namespace };
  const metadata = { name: operator, labels: labelsOf(operator) };
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { ...metadata, namespace },
  };
  return [
    account,
    ...roleAndBinding({ kind: "ClusterRole", metadata, rules: permissions.cluster, subject }),
    ...Object.entries(permissions.namespaces).flatMap(([name, rules]) =>
      roleAndBinding({ kind: "Role", metadata: { ...metadata, namespace: name }, rules, subject }),
    ),
  ];
}

interface RoleParts {
  readonly kind: "ClusterRole" | "Role";
  readonly metadata: JsonObject & { readonly name: string };
  readonly rules: readonly PolicyRule[];
  readonly subject: JsonObject;
}

function roleAndBinding({ kind, metadata, rules, subject }: RoleParts): readonly JsonObject[] {
  if (rules.length === 0) return [];
  const apiVersion = `${group}/v1`;
  return [
    { apiVersion, kind, metadata, rules } as unknown as JsonObject,
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: group, kind, name: metadata.name },
      subjects: [subject],
    },
  ];
}
