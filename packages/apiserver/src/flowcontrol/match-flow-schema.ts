// Finds the FlowSchema of a request: the first, in order of precedence, that matches its user and
// its request. Nothing is queued here; two response headers name the match, as upstream's do.
// Upstream: k8s.io/apiserver/pkg/util/flowcontrol/rule.go, apf_controller.go,
// pkg/server/filters/priority-and-fairness.go.
import type { Decoded } from "homeostat/api";
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from "homeostat/k8s/flowcontrol/v1";
import type { UserInfo } from "../apimachinery/user-info.ts";
import { isLongRunning } from "../registry/request/is-long-running.ts";
import type { RequestInfo } from "../registry/request/request-info.ts";

/** The match, as response headers. */
export type Flow = Readonly<Record<string, string>>;

/** The flow of a request; undefined without a match, and for long-running requests but watches. */
export type FlowMatcher = (user: UserInfo, info: RequestInfo) => Flow | undefined;

interface CompiledSchema {
  readonly precedence: number;
  readonly name: string;
  readonly rules: readonly CompiledRule[];
  readonly flow: Flow;
}

interface CompiledRule {
  readonly matchesUser: (user: UserInfo) => boolean;
  readonly resourceRules: readonly ((info: RequestInfo) => boolean)[];
  readonly nonResourceRules: readonly ((info: RequestInfo) => boolean)[];
}

/** Compiles these objects. A schema without its priority level is skipped. */
export function createFlowMatcher(
  schemas: readonly Decoded<FlowSchema>[],
  levels: readonly Decoded<PriorityLevelConfiguration>[],
): FlowMatcher {
  const uids = new Map(
    levels.map(({ metadata }) => [metadata?.name ?? "", metadata?.uid ?? ""] as const),
  );
  const compiled = schemas
    .flatMap((schema) => compileSchema(schema, uids))
    .toSorted((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  return (user, info) => {
    if (info.isResource && info.verb !== "watch" && isLongRunning(info)) return undefined;
    return compiled.find(({ rules }) => rules.some((rule) => matches(rule, user, info)))?.flow;
  };
}

function matches(rule: CompiledRule, user: UserInfo, info: RequestInfo): boolean {
  const rules = info.isResource ? rule.resourceRules : rule.nonResourceRules;
  return rule.matchesUser(user) && rules.some((matchesRequest) => matchesRequest(info));
}

function compileSchema(
  { metadata, spec }: Decoded<FlowSchema>,
  levels: ReadonlyMap<string, string>,
): readonly CompiledSchema[] {
  const level = levels.get(spec?.priorityLevelConfiguration?.name ?? "");
  if (level === undefined) return [];
  const flow = {
    "x-kubernetes-pf-flowschema-uid": metadata?.uid ?? "",
    "x-kubernetes-pf-prioritylevel-uid": level,
  };
  return [
    {
      precedence: spec?.matchingPrecedence ?? 0,
      name: metadata?.name ?? "",
      rules: (spec?.rules ?? []).map(compileRule),
      flow,
    },
  ];
}

function compileRule(rule: Decoded<PolicyRulesWithSubjects>): CompiledRule {
  const subjects = (rule.subjects ?? []).map(compileSubject);
  return {
    matchesUser: (user) => subjects.some((matchesUser) => matchesUser(user)),
    resourceRules: (rule.resourceRules ?? []).map(compileResourceRule),
    nonResourceRules: (rule.nonResourceRules ?? []).map(compileNonResourceRule),
  };
}

function compileSubject({
  kind,
  user,
  group,
  serviceAccount,
}: Decoded<Subject>): (user: UserInfo) => boolean {
  if (kind === "User") return (who) => user?.name === "*" || who.name === (user?.name ?? "");
  if (kind === "Group") {
    const name = group?.name ?? "";
    return (who) => name === "*" || who.groups.includes(name);
  }
  const prefix = `system:serviceaccount:${serviceAccount?.namespace ?? ""}:`;
  const wanted = serviceAccount?.name ?? "";
  return (who) => (wanted === "*" ? who.name.startsWith(prefix) : who.name === prefix + wanted);
}

/** Whether a list contains a text; `*` alone contains all. */
function contains(texts: readonly string[] | null | undefined): (text: string) => boolean {
  return texts?.length === 1 && texts[0] === "*"
    ? () => true
    : (text) => texts?.includes(text) === true;
}

function compileResourceRule(rule: Decoded<ResourcePolicyRule>): (info: RequestInfo) => boolean {
  const verbs = contains(rule.verbs);
  const resources = contains(rule.resources);
  const groups = contains(rule.apiGroups);
  const namespaces = contains(rule.namespaces);
  return (info) =>
    verbs(info.verb) &&
    resources(info.subresource ? `${info.resource}/${info.subresource}` : info.resource) &&
    groups(info.group) &&
    (info.namespace ? namespaces(info.namespace) : rule.clusterScope === true);
}

function compileNonResourceRule(
  rule: Decoded<NonResourcePolicyRule>,
): (info: RequestInfo) => boolean {
  const verbs = contains(rule.verbs);
  const urls = (rule.nonResourceURLs ?? []).map((url) => ({
    url,
    prefix: url.replace(/\/?\*?$/, "/"),
  }));
  return ({ verb, path }) =>
    verbs(verb) &&
    urls.some(({ url, prefix }) => url === "*" || url === path || path.startsWith(prefix));
}
