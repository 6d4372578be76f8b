// Merges the OpenAPI v2 documents of other servers into this server's: paths that are new, with the
// models and parameters that they use. A model of another form gets a name of its own
// (`io.example.Fish_v2`). Pure.
// Upstream: k8s.io/kube-openapi/pkg/aggregator/aggregator.go (FilterSpecByPathsWithoutSideEffects,
// MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters).
import { compareBytewise, encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { objectAt } from "../apimachinery/meta/read-fields.ts";

const kindsField = "x-kubernetes-group-version-kind";
/** What paths refer to, by the member that holds it. */
const shared = ["definitions", "parameters"] as const;
type Shared = (typeof shared)[number];

/** The part of a document below some paths: what only other paths use is left out. */
export function filterByPaths(document: JsonObject, keeps: (path: string) => boolean): JsonObject {
  const paths = Object.fromEntries(
    Object.entries(objectAt(document, "paths")).filter(([path]) => keeps(path)),
  );
  const filtered = { ...document, paths };
  const [before, after] = [usedModels(document), usedModels(filtered)];
  const definitions = Object.entries(objectAt(document, "definitions")).filter(
    ([name]) => after.has(name) || !before.has(name),
  );
  return { ...filtered, definitions: Object.fromEntries(definitions) };
}

/** `document` with what the paths of `other` need; paths that it has already stay its own. */
export function mergeDocuments(document: JsonObject, other: JsonObject): JsonObject {
  const paths = objectAt(document, "paths");
  const added = Object.keys(objectAt(other, "paths")).filter((path) => !Object.hasOwn(paths, path));
  if (!added.length) return document;
  let source = filterByPaths(other, (path) => added.includes(path));
  const merged: JsonObject = { ...document };
  for (const member of shared) {
    source = renamed(
      source,
      member,
      renamesOf(objectAt(document, member), objectAt(source, member)),
    );
    const own = objectAt(document, member);
    const all = { ...own };
    for (const [name, value] of Object.entries(objectAt(source, member)))
      all[name] = Object.hasOwn(own, name) ? withKindsOf(own[name]!, value) : value;
    if (Object.keys(all).length) merged[member] = all;
  }
  return { ...merged, paths: { ...paths, ...objectAt(source, "paths") } };
}

/** The models that the paths of a document refer to, directly or through others. */
function usedModels(document: JsonObject): ReadonlySet<string> {
  const used = new Set<string>();
  const seen = new Set<string>();
  const walk = (value: Json): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isObject(value)) return;
    for (const [key, each] of Object.entries(value)) {
      if (key !== "$ref" || typeof each !== "string") walk(each);
      else if (!seen.has(each)) {
        seen.add(each);
        const [, member, name] = /^#\/(definitions|parameters)\/(.*)$/.exec(each) ?? [];
        if (member === "definitions") used.add(name!);
        const target = member && objectAt(document, member)[name!];
        if (target !== undefined && target !== "") walk(target);
      }
    }
  };
  walk(objectAt(document, "paths"));
  return used;
}

/** New names for members of `source` that `known` has in another form. */
function renamesOf(known: JsonObject, source: JsonObject): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  const taken = new Set(Object.keys(known));
  for (const [name, value] of Object.entries(source)) {
    if (!Object.hasOwn(known, name) || isSameForm(known[name]!, value)) continue;
    let i = 2;
    const candidate = (): string => `${name}_v${i}`;
    while (Object.hasOwn(known, candidate()) && !isSameForm(known[candidate()]!, value)) i++;
    const isReused = Object.hasOwn(known, candidate());
    while (!isReused && (taken.has(candidate()) || Object.hasOwn(source, candidate()))) i++;
    taken.add(candidate());
    renames.set(name, candidate());
  }
  return renames;
}

/** Alike but for the kinds that they stand for. */
const isSameForm = (a: Json, b: Json): boolean => formOf(a) === formOf(b);

function formOf(value: Json): string {
  if (!isObject(value)) return encodeJson(value);
  const { [kindsField]: _, ...form } = value;
  return encodeJson(form);
}

function renamed(
  document: JsonObject,
  member: Shared,
  renames: ReadonlyMap<string, string>,
): JsonObject {
  if (!renames.size) return document;
  const prefix = `#/${member}/`;
  const refs = new Map([...renames].map(([from, to]) => [prefix + from, prefix + to]));
  const replace = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(replace);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === "$ref" && typeof each === "string" ? (refs.get(each) ?? each) : replace(each),
      ]),
    );
  };
  const out = replace(document) as JsonObject;
  const entries = Object.entries(objectAt(out, member));
  return {
    ...out,
    [member]: Object.fromEntries(
      entries.map(([name, value]) => [renames.get(name) ?? name, value]),
    ),
  };
}

/** With the kinds of both, in the order of their names if some are new. */
function withKindsOf(own: Json, other: Json): Json {
  if (!isObject(own) || !isObject(other)) return own;
  const [before, more] = [kindsOf(own), kindsOf(other)];
  if (!more.length) return own;
  if (!before.length) return { ...own, [kindsField]: [...more] };
  const known = new Set(before.map(nameOfKind));
  const added = more.filter((kind) => !known.has(nameOfKind(kind)));
  if (!added.length) return own;
  const all = [...before, ...added].toSorted((a, b) =>
    compareBytewise(nameOfKind(a), nameOfKind(b)),
  );
  return { ...own, [kindsField]: all };
}

const kindsOf = (schema: JsonObject): readonly JsonObject[] => {
  const kinds = schema[kindsField];
  return Array.isArray(kinds) ? kinds.filter(isObject) : [];
};

const nameOfKind = ({ group, version, kind }: JsonObject): string =>
  `${String(group)}/${String(version)}.${String(kind)}`;
