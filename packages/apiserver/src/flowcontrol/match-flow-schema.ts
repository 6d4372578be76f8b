// Which flow a request belongs to: the first FlowSchema, in order of precedence, that speaks of its
// user and of what it wants. Nothing is held back here; clients are told, as upstream tells them,
// by two headers.
// Upstream: k8s.io/apiserver/pkg/util/flowcontrol/rule.go, apf_controller.go,
// pkg/server/filters/priority-and-fairness.go.
import type { JsonObject } from "homeostat/api";
import type { UserInfo } from "../apimachinery/user-info.ts";
import {
  itemsAt,
  numberAt,
  textsAt,
  objectAt,
  stringAt,
} from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import type { RequestInfo } from "../registry/request/request-info.ts";

/** A flow, as headers of an answer. */
export type Flow = Readonly<Record<string, string>>;

/**
 * The flow of a request; undefined where none fits, and for what runs long without being a watch.
 */
export type FlowMatcher = (user: UserInfo, info: RequestInfo) => Flow | undefined;

const longRunning = new Set(["attach", "exec", "proxy", "log", "portforward"]);

interface Schema {
  readonly precedence: number;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly flow: Flow;
}

interface PolicyRule {
  readonly speaksOf: (user: UserInfo) => boolean;
  readonly onResources: readonly ((info: RequestInfo) => boolean)[];
  readonly onPaths: readonly ((info: RequestInfo) => boolean)[];
}

/** A matcher of these objects; a schema whose level is not there is passed over. */
export function createFlowMatcher(
  schemas: readonly JsonObject[],
  levels: readonly JsonObject[],
): FlowMatcher {
  const uids = new Map(
    levels.map((level) => [
      stringAt(metadataOf(level), "name"),
      stringAt(metadataOf(level), "uid"),
    ]),
  );
  const read = schemas
    .flatMap((schema) => readSchema(schema, uids))
    .toSorted((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  return (user, info) => {
    if (info.verb !== "watch" && (info.verb === "proxy" || longRunning.has(info.subresource)))
      return undefined;
    return read.find(({ rules }) =>
      rules.some(
        ({ speaksOf, onResources, onPaths }) =>
          speaksOf(user) && (info.isResource ? onResources : onPaths).some((fits) => fits(info)),
      ),
    )?.flow;
  };
}

function readSchema(schema: JsonObject, levels: ReadonlyMap<string, string>): readonly Schema[] {
  const spec = objectAt(schema, "spec");
  const level = levels.get(stringAt(objectAt(spec, "priorityLevelConfiguration"), "name"));
  if (level === undefined) return [];
  const flow = {
    "x-kubernetes-pf-flowschema-uid": stringAt(metadataOf(schema), "uid"),
    "x-kubernetes-pf-prioritylevel-uid": level,
  };
  return [
    {
      precedence: numberAt(spec, "matchingPrecedence"),
      name: stringAt(metadataOf(schema), "name"),
      rules: itemsAt(spec, "rules").map(readRule),
      flow,
    },
  ];
}

function readRule(rule: JsonObject): PolicyRule {
  const subjects = itemsAt(rule, "subjects").map(readSubject);
  return {
    speaksOf: (user) => subjects.some((fits) => fits(user)),
    onResources: itemsAt(rule, "resourceRules").map(readResourceRule),
    onPaths: itemsAt(rule, "nonResourceRules").map(readPathRule),
  };
}

function readSubject(subject: JsonObject): (user: UserInfo) => boolean {
  const [user, group, account] = ["user", "group", "serviceAccount"].map((field) =>
    objectAt(subject, field),
  ) as [JsonObject, JsonObject, JsonObject];
  const name = stringAt(stringAt(subject, "kind") === "User" ? user : group, "name");
  if (stringAt(subject, "kind") === "User") return (who) => name === "*" || who.name === name;
  if (stringAt(subject, "kind") === "Group")
    return (who) => name === "*" || who.groups.includes(name);
  const prefix = `system:serviceaccount:${stringAt(account, "namespace")}:`;
  const wanted = stringAt(account, "name");
  return (who) => (wanted === "*" ? who.name.startsWith(prefix) : who.name === prefix + wanted);
}

/** Whether a list names a text; a star alone names all. */
function namer(texts: readonly string[]): (text: string) => boolean {
  return texts.length === 1 && texts[0] === "*" ? () => true : (text) => texts.includes(text);
}

function readResourceRule(rule: JsonObject): (info: RequestInfo) => boolean {
  const [verbs, resources, groups, namespaces] = [
    "verbs",
    "resources",
    "apiGroups",
    "namespaces",
  ].map((field) => namer(textsAt(rule, field))) as [Named, Named, Named, Named];
  const clusterScope = rule["clusterScope"] === true;
  return (info) =>
    verbs(info.verb) &&
    resources(info.subresource ? `${info.resource}/${info.subresource}` : info.resource) &&
    groups(info.group) &&
    (info.namespace ? namespaces(info.namespace) : clusterScope);
}

type Named = (text: string) => boolean;

function readPathRule(rule: JsonObject): (info: RequestInfo) => boolean {
  const verbs = namer(textsAt(rule, "verbs"));
  const paths = textsAt(rule, "nonResourceURLs").map((path) => ({
    path,
    prefix: path.replace(/\/?\*?$/, "/"),
  }));
  return (info) =>
    verbs(info.verb) &&
    paths.some(
      ({ path, prefix }) => path === "*" || path === info.path || info.path.startsWith(prefix),
    );
}
