// The end state of a run, in a form that runs can be compared by: what differs from run to run by
// nature (uids, revisions, times, generated names) is replaced.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";

/** Objects by `Kind namespace/name`. */
export type EndState = ReadonlyMap<string, Json>;

interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid: string;
  readonly creationTimestamp?: string;
}

const metaOf = (object: JsonObject): Meta => object["metadata"] as unknown as Meta;

export function endStateOf(
  objects: readonly JsonObject[],
  externals: Readonly<Record<string, object>>,
): EndState {
  const names = namesOf(objects);
  const uids = new Map(
    objects.map((object) => [metaOf(object).uid, `uid of ${titleOf(object, names)}`]),
  );
  const replaced = new Map([...uids, ...names]);
  const fakes = Object.entries(externals).flatMap(([name, fake]) =>
    "toJSON" in fake
      ? [[`external ${name}`, neutral(JSON.parse(JSON.stringify(fake)) as Json, replaced)] as const]
      : [],
  );
  const stored = new Map(
    objects
      .map((object) => [titleOf(object, names), neutralObject(object, replaced)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  return new Map([...stored, ...fakes]);
}

/** What generated names are called instead, in order of creation. */
function namesOf(objects: readonly JsonObject[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const object of objects) {
    const { generateName, name, namespace = "" } = metaOf(object);
    if (generateName === undefined) continue;
    const series = `${String(object["kind"])} ${namespace}/${generateName}`;
    const count = (counts.get(series) ?? 0) + 1;
    counts.set(series, count);
    names.set(name, `${generateName}<${count}>`);
  }
  return names;
}

function titleOf(object: JsonObject, names: ReadonlyMap<string, string>): string {
  const { name, namespace } = metaOf(object);
  const called = names.get(name) ?? name;
  const key = namespace === undefined ? called : `${namespace}/${called}`;
  return `${String(object["kind"])} ${key}`;
}

/** Left out wherever they stand: they count writes, or tell when. */
const counted = new Set([
  "resourceVersion",
  "generation",
  "observedGeneration",
  "managedFields",
  "creationTimestamp",
  "lastTransitionTime",
  "lastHeartbeatTime",
  "lastProbeTime",
  "lastUpdateTime",
]);

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A status that says nothing is none: a failure that has passed may leave one behind. */
function neutralObject(object: JsonObject, replaced: ReadonlyMap<string, string>): Json {
  const { status, ...rest } = neutral(object, replaced) as JsonObject;
  return status === undefined || equalJson(status, {}) ? rest : { ...rest, status };
}

function neutral(value: Json, replaced: ReadonlyMap<string, string>): Json {
  if (typeof value === "string")
    return time.test(value) ? "<time>" : (replaced.get(value) ?? value);
  if (Array.isArray(value)) return value.map((item: Json) => neutral(item, replaced));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !counted.has(name))
      .map(([name, member]) => [name, inOrder(name, neutral(member, replaced))]),
  );
}

/** Lists that are sets, or maps by this member: their order only tells what came first. */
const unordered: Readonly<Record<string, string | undefined>> = {
  conditions: "type",
  ownerReferences: "uid",
  finalizers: undefined,
};

function inOrder(name: string, value: Json): Json {
  if (!Array.isArray(value) || !Object.hasOwn(unordered, name)) return value;
  const key = unordered[name];
  const rank = (item: Json): string =>
    String(key !== undefined && isObject(item) ? item[key] : item);
  return value.toSorted((one: Json, other: Json) => (rank(one) < rank(other) ? -1 : 1));
}
