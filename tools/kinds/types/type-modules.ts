// Groups upstream's types into modules, one for each group and version, and classifies each type: a
// kind with a manifest, a list, a registered object, or a plain struct. Pure; knows nothing of
// TypeScript's syntax (print-models.ts, print-index.ts).
import type {
  GoField,
  KindData,
  ApiResource,
  GoStruct,
  TypeRef,
} from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";

/** How a type's apiVersion, kind and metadata read. */
export type Role =
  /** Served: read with full metadata, written as a manifest. */
  | { readonly is: "kind"; readonly facts: ApiResource }
  /** Registered in one group version: its apiVersion is known. */
  | { readonly is: "object"; readonly apiVersion: string }
  | { readonly is: "list"; readonly apiVersion: string }
  | { readonly is: "struct" };

export interface ModelType {
  readonly facts: GoStruct;
  readonly role: Role;
  /** Another object holds it, so that apiVersion, kind and metadata may be missing there. */
  readonly embedded: boolean;
  /** Described in the Kubernetes API reference: a served resource has it in its body. */
  readonly documented: boolean;
}

export interface TypeModule {
  /** Subpath below `homeostat/k8s`: `apps/v1`. */
  readonly path: string;
  /** As upstream prints it: `apps/v1`, `v1`; for what no server serves, `path`. */
  readonly apiVersion: string;
  /** "" for the legacy group. */
  readonly group: string;
  readonly version: string;
  /** In the order of their names. */
  readonly types: readonly ModelType[];
}

/** Groups with types that are in no discovery. */
const unserved = [
  { group: "admission.k8s.io", versions: ["v1"] },
  { group: "meta.k8s.io", versions: ["v1"] },
];

export const packageOf = (model: string): string => model.slice(0, model.lastIndexOf("."));

/**
 * `io.k8s.api.apps.v1` → `apps/v1`: upstream's packages bear the first label of their group.
 * Undefined for a package without a version.
 */
export function modulePathOf(model: string): string | undefined {
  const [group, version] = packageOf(model).split(".").slice(-2);
  return /^v\d/.test(version!) ? `${group}/${version}` : undefined;
}

export const formatApiVersion = (group: string, version: string): string =>
  group === "" ? version : `${group}/${version}`;

/** The model that a reference leads to, through lists and maps. */
export function modelOf(ref: TypeRef): string | undefined {
  if (ref.at === "struct") return ref.type;
  if (ref.at === "list") return modelOf(ref.items);
  return ref.at === "map" ? modelOf(ref.values) : undefined;
}

const typeMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta";

/** A reference has an apiVersion and a kind too, but they are another object's. */
const isObjectType = (facts: GoStruct): boolean =>
  facts.fields.some(({ inline, ref }) => inline && modelOf(ref) === typeMeta);

const isList = (facts: GoStruct): boolean =>
  facts.goStruct.endsWith("List") && facts.field("items") !== undefined;

/** All modules, in the order of their paths. */
export function toTypeModules(data: KindData): readonly TypeModule[] {
  const served = new Map(
    data.groups.flatMap(({ group }) => data.kinds(group)).map((facts) => [facts.type, facts]),
  );
  const documented = reachableModels(data, served.keys());
  const embedded = embeddedModels(data);
  const toType = (model: string): ModelType => {
    const facts = data.type(model);
    const role = roleOf(data, served, facts);
    return {
      facts,
      role,
      embedded: role.is !== "struct" && embedded.has(model),
      documented: documented.has(model),
    };
  };
  const byPath = Map.groupBy(data.models, modulePathOf);
  return [...byPath]
    .flatMap(([path, models]) => (path === undefined ? [] : [{ path, models }]))
    .map(({ path, models }) => {
      const group = groupOf(data, path);
      const version = path.slice(path.indexOf("/") + 1);
      const apiVersion = formatApiVersion(group, version);
      const types = models.toSorted().map(toType);
      return { path, apiVersion, group, version, types };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const allGroups = (data: KindData) => [...data.groups, ...unserved];

/** The group whose first label a module's path begins with. */
function groupOf(data: KindData, path: string): string {
  const label = path.slice(0, path.indexOf("/"));
  const found = allGroups(data).find(
    ({ group }) => (group === "" ? "core" : group.split(".")[0]) === label,
  );
  if (found === undefined)
    throw new Error(`place ${path}: no group begins with ${label}; add it to the data or to here`);
  return found.group;
}

function roleOf(data: KindData, served: ReadonlyMap<string, ApiResource>, facts: GoStruct): Role {
  const kind = served.get(facts.model);
  if (kind !== undefined) return { is: "kind", facts: kind };
  if (!isObjectType(facts)) return { is: "struct" };
  const homes = allGroups(data).flatMap(({ group, versions }) =>
    versions
      .filter((version) => data.typeOf(group, version, facts.goStruct)?.model === facts.model)
      .map((version) => formatApiVersion(group, version)),
  );
  const [apiVersion] = homes;
  if (apiVersion === undefined || homes.length > 1 || facts.goStruct.endsWith("Options"))
    return { is: "struct" };
  return { is: isList(facts) ? "list" : "object", apiVersion };
}

/** Models of objects that other objects hold; a list of them does not count. */
function embeddedModels(data: KindData): ReadonlySet<string> {
  const holders = data.models.map(data.type).filter((facts) => !isList(facts));
  const held = holders.flatMap(({ members }) => members.flatMap(({ ref }) => modelOf(ref) ?? []));
  return new Set(held.filter((model) => isObjectType(data.type(model))));
}

/** `roots`, their lists, and all that they lead to. */
function reachableModels(data: KindData, roots: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (model: string): void => {
    if (found.has(model)) return;
    found.add(model);
    for (const { ref } of data.type(model).members) {
      const next = modelOf(ref);
      if (next !== undefined) visit(next);
    }
  };
  for (const root of roots) visit(root);
  for (const model of data.models) {
    const items = isList(data.type(model)) && data.type(model).field("items");
    const item = items && modelOf(items.ref);
    if (item && found.has(item)) visit(model);
  }
  return found;
}

/** The models that Go embeds in a struct, so that their members appear among its own. */
export const embeddedStructs = ({ fields }: GoStruct): string[] =>
  fields.flatMap(({ inline, ref }) => (inline && ref.at === "struct" ? [ref.type] : []));

/** Condition types are said with `condition()`, which writes every field of a meta/v1 Condition. */
export function takesConditions(data: KindData, facts: GoStruct): boolean {
  const status = facts.field("status");
  const conditions = status && data.type(modelOf(status.ref)!).field("conditions");
  const item = conditions && modelOf(conditions.ref);
  if (item === undefined) return false;
  const fields = data.type("io.k8s.apimachinery.pkg.apis.meta.v1.Condition").members;
  return fields.every(({ name }) => data.type(item).field(name) !== undefined);
}

/** Go writes a struct that is no pointer even when nothing is in it. */
export const isAlwaysWritten = ({ ref, pointer, omitZero }: GoField): boolean =>
  ref.at === "struct" && !pointer && !omitZero;
