// Flow schemas: which requests belong to which priority level. This server does not queue requests.
// Upstream: k8s.io/kubernetes/pkg/apis/flowcontrol/{v1/defaults.go,validation/validation.go}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, dnsLabelFaults, dnsSubdomainFaults, type Json } from "homeostat/api";
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from "homeostat/k8s/flowcontrol/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { flowControlStrategy } from "./flow-control-strategy.ts";
import { fixedSchemaErrors } from "./mandatory-flows.ts";
import { wildcardErrors } from "../validation/wildcard-errors.ts";

const defaultPrecedence = 1000;
const maxPrecedence = 10_000;
const methods = ["ByNamespace", "ByUser"];
const verbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];

export const flowSchema: KindDefinition<Decoded<FlowSchema>> = {
  ...gvk("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
  defaults(object) {
    if (object.spec) object.spec.matchingPrecedence ||= defaultPrecedence;
  },
  ...flowControlStrategy(validate),
  cells,
};

function validate(object: Decoded<FlowSchema>): FieldError[] {
  const spec = object.spec ?? {};
  const method = spec.distinguisherMethod;
  const level = spec.priorityLevelConfiguration?.name ?? "";
  const levelPath = "spec.priorityLevelConfiguration.name";
  return [
    ...precedenceErrors(spec.matchingPrecedence ?? 0, nameOf(object)),
    ...errorIf(method && !methods.includes(method.type ?? ""), () =>
      fieldError.notSupported(
        "spec.distinguisherMethod.type",
        { Type: method?.type ?? "" },
        methods,
      ),
    ),
    ...(level
      ? dnsSubdomainFaults(level).map((fault) => fieldError.invalid(levelPath, level, fault))
      : [fieldError.required(levelPath, "must reference a priority level")]),
    ...eachItem(spec.rules, "spec.rules", ruleErrors),
    ...fixedSchemaErrors(object),
  ];
}

function precedenceErrors(precedence: number, name: string): FieldError[] {
  const path = "spec.matchingPrecedence";
  return [
    ...errorIf(precedence <= 0, () =>
      fieldError.invalid(path, precedence, "must be a positive value"),
    ),
    ...errorIf(precedence > maxPrecedence, () =>
      fieldError.invalid(path, precedence, `must not be greater than ${maxPrecedence}`),
    ),
    ...errorIf(precedence === 1 && name !== "exempt", () =>
      fieldError.invalid(
        path,
        precedence,
        "only the schema named 'exempt' may have matchingPrecedence 1",
      ),
    ),
  ];
}

function ruleErrors(rule: Decoded<PolicyRulesWithSubjects>, path: string): FieldError[] {
  const subjects = rule.subjects ?? [];
  const resources = rule.resourceRules ?? [];
  const urls = rule.nonResourceRules ?? [];
  return [
    ...(subjects.length
      ? eachItem(subjects, `${path}.subjects`, subjectErrors)
      : [fieldError.required(`${path}.subjects`, "subjects must contain at least one value")]),
    ...errorIf(!resources.length && !urls.length, () =>
      fieldError.required(
        path,
        "at least one of resourceRules and nonResourceRules has to be non-empty",
      ),
    ),
    ...eachItem(resources, `${path}.resourceRules`, resourceRuleErrors),
    ...eachItem(urls, `${path}.nonResourceRules`, urlRuleErrors),
  ];
}

const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
type SubjectKind = keyof typeof subjectFields;
/** Fields that a subject of each kind must not have, in the order of upstream's errors. */
const foreignFields: Readonly<Record<SubjectKind, readonly SubjectKind[]>> = {
  ServiceAccount: ["User", "Group"],
  User: ["ServiceAccount", "Group"],
  Group: ["ServiceAccount", "User"],
};
const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(subjectFields, kind);

function subjectErrors(subject: Decoded<Subject>, path: string): FieldError[] {
  const kind = subject.kind ?? "";
  if (!isSubjectKind(kind))
    return [fieldError.notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"])];
  const field = subjectFields[kind];
  const foreign = foreignFields[kind]
    .filter((other) => isSet(subject[subjectFields[other]]))
    .map((other) =>
      fieldError.forbidden(
        `${path}.${subjectFields[other]}`,
        `${subjectFields[other]} is forbidden when subject kind is not '${other}'`,
      ),
    );
  const own = subject[field];
  if (!own)
    return [
      fieldError.required(
        `${path}.${field}`,
        `${field} is required when subject kind is '${kind}'`,
      ),
      ...foreign,
    ];
  if (kind === "ServiceAccount") return [...accountErrors(own, `${path}.${field}`), ...foreign];
  return own.name ? foreign : [fieldError.required(`${path}.${field}.name`, ""), ...foreign];
}

function accountErrors(account: Decoded<ServiceAccountSubject>, path: string): FieldError[] {
  const name = account.name ?? "";
  const namespace = account.namespace ?? "";
  const nameFaults = name === "*" ? [] : dnsSubdomainFaults(name);
  return [
    ...(name
      ? nameFaults.map((fault) => fieldError.invalid(`${path}.name`, name, fault))
      : [fieldError.required(`${path}.name`, "")]),
    ...(namespace
      ? dnsLabelFaults(namespace).map((fault) =>
          fieldError.invalid(`${path}.namespace`, namespace, fault),
        )
      : [fieldError.required(`${path}.namespace`, "must specify namespace for service account")]),
  ];
}

function verbErrors(
  rule: Decoded<ResourcePolicyRule> | Decoded<NonResourcePolicyRule>,
  path: string,
): FieldError[] {
  const given = rule.verbs ?? [];
  if (!given.length)
    return [fieldError.required(`${path}.verbs`, "verbs must contain at least one value")];
  if (given.includes("*")) return wildcardErrors(given, `${path}.verbs`, "verbs");
  return errorIf(!given.every((verb) => verbs.includes(verb)), () =>
    fieldError.notSupported(`${path}.verbs`, [...given], verbs),
  );
}

function urlRuleErrors(rule: Decoded<NonResourcePolicyRule>, path: string): FieldError[] {
  const urls = rule.nonResourceURLs ?? [];
  const at = `${path}.nonResourceURLs`;
  if (!urls.length)
    return [
      ...verbErrors(rule, path),
      fieldError.required(at, "nonResourceURLs must contain at least one value"),
    ];
  if (urls.includes("*"))
    return [...verbErrors(rule, path), ...wildcardErrors(urls, at, "non-resource URLs")];
  return [
    ...verbErrors(rule, path),
    ...eachItem(urls, at, (url, at) =>
      urlFault(url).map((fault) => fieldError.invalid(at, url, fault)),
    ),
  ];
}

function urlFault(url: string): readonly string[] {
  if (!url) return ["must not be empty"];
  if (url === "/") return [];
  if (!url.startsWith("/")) return ["must start with slash"];
  if (url.includes(" ")) return ["must not contain white-space"];
  if (url.includes("//")) return ["must not contain double slash"];
  const wildcards = url.split("*").length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith("/*"))
    ? ["wildcard can only do suffix matching"]
    : [];
}

function resourceRuleErrors(rule: Decoded<ResourcePolicyRule>, path: string): FieldError[] {
  const list = (field: "apiGroups" | "resources", missing: string, what: string): FieldError[] => {
    const values = rule[field] ?? [];
    return values.length
      ? wildcardErrors(values, `${path}.${field}`, what)
      : [fieldError.required(`${path}.${field}`, missing)];
  };
  return [
    ...verbErrors(rule, path),
    ...list("apiGroups", "resource rules must supply at least one api group", "api groups"),
    ...list("resources", "resource rules must supply at least one resource", "resources"),
    ...namespaceErrors(
      rule.namespaces ?? [],
      rule.clusterScope === true ? "cluster" : "namespaces",
      `${path}.namespaces`,
    ),
  ];
}

function namespaceErrors(
  namespaces: readonly string[],
  scope: "cluster" | "namespaces",
  path: string,
): FieldError[] {
  if (!namespaces.length && scope === "namespaces")
    return [
      fieldError.required(
        path,
        "resource rules that are not cluster scoped must supply at least one namespace",
      ),
    ];
  if (namespaces.includes("*")) return wildcardErrors(namespaces, path, "namespaces");
  return eachItem(namespaces, path, (namespace, at) =>
    dnsLabelFaults(namespace).map((fault) =>
      fieldError.invalid(
        at,
        namespace,
        `each member of this list must be '*' or a DNS-1123 label; ${fault}`,
      ),
    ),
  );
}

function cells(object: Decoded<FlowSchema>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const method = spec.distinguisherMethod;
  const dangling = (object.status?.conditions ?? []).find(
    (condition) => condition.type === "Dangling",
  );
  return [
    nameOf(object),
    spec.priorityLevelConfiguration?.name ?? "",
    spec.matchingPrecedence ?? 0,
    method ? (method.type ?? "") : "<none>",
    ageOf(object, ages),
    dangling ? (dangling.status ?? "") : "?",
  ];
}
