// Reports labels and annotations that a reconcile reads by name and does not declare. They have no
// schema and no owner: everyone may write them, and nothing says what they mean.
import { formatObjectKey } from "../../api/gvk.ts";
import { isObject } from "../../api/json.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { ControllerDefinition } from "../define-controller.ts";
import type { ControllerNames } from "../names.ts";
import { isChild } from "../own/back-reference.ts";
import { managedEntries } from "../own/owned-fields.ts";
import { declaredSelections } from "../watching/declared-selections.ts";
import type { Breaches } from "./breaches.ts";
import {
  type MetadataMap,
  type MetadataReader,
  type ObserveMap,
  observeMetadata,
} from "./observe-metadata.ts";

/** The run that reads. */
export interface ObservedRun {
  readonly definition: ControllerDefinition;
  readonly names: ControllerNames;
  /** The reconciled object. */
  readonly object: KubeObject;
  readonly breaches: Breaches;
  /** Without it, reads pass through proxies. */
  readonly observeMap?: ObserveMap;
}

/** Objects of a list that are observed: a list is as likely read alike throughout. */
const observedOfList = 100;

const nouns = { labels: "label", annotations: "annotation" } as const;

/**
 * Returns what was read, an object or a list of them, so that its labels and annotations are
 * observed: the same each time, as the cache does. Children are left as they are.
 */
export function createMetadataObserver(run: ObservedRun): <T>(read: T) => T {
  const observed = new WeakMap<KubeObject, KubeObject>();
  const observe = (object: KubeObject | undefined, i = 0): unknown => {
    if (!object || isChild(object, run.object)) return object;
    const known = observed.get(object);
    if (known) return known;
    const read: MetadataReader = (field, key) => {
      if (!isDeclared(run, field, key) && !wrote(run.names, object, field, key))
        report(run, object, field, key);
    };
    const isLeftOut = run.observeMap && i >= observedOfList;
    const copy = isLeftOut ? object : observeMetadata(object, read, run.observeMap);
    observed.set(object, copy);
    return copy;
  };
  return <T>(read: T) =>
    (Array.isArray(read)
      ? read.map((one: KubeObject, i) => observe(one, i))
      : observe(read as KubeObject | undefined)) as T;
}

function isDeclared({ definition, object }: ObservedRun, field: MetadataMap, key: string): boolean {
  const prefix = key.split("/")[0]!;
  if (prefix === "homeostat.dev") return true;
  const carried = definition.signals.flatMap(({ carrier }) => Object.values(carrier));
  const declared = [...(definition.reads[field] ?? []), ...carried];
  if (declared.includes(key) || declared.includes(`${prefix}/*`)) return true;
  return field === "labels" && selectedKeys(definition, object).includes(key);
}

/** The labels by which the controller selects objects. */
function selectedKeys(definition: ControllerDefinition, object: KubeObject): readonly string[] {
  return declaredSelections(definition).flatMap(({ selectionsOf }) => {
    try {
      return selectionsOf(object).flatMap(({ labels }) => labels.map(({ key }) => key));
    } catch {
      return [];
    }
  });
}

/** What the controller has written itself is its own. */
function wrote(
  { managers }: ControllerNames,
  object: KubeObject,
  field: MetadataMap,
  key: string,
): boolean {
  return managedEntries(object).some(({ manager, fieldsV1 }) => {
    const isOurs = managers.some((one) => manager === one || `${manager}`.startsWith(`${one}/`));
    const metadata = isObject(fieldsV1) ? fieldsV1["f:metadata"] : undefined;
    const fields = isObject(metadata) ? metadata[`f:${field}`] : undefined;
    return isOurs && isObject(fields) && Object.hasOwn(fields, `f:${key}`);
  });
}

function report(
  { definition, object, breaches }: ObservedRun,
  found: KubeObject,
  field: MetadataMap,
  key: string,
): void {
  const own = formatObjectKey(object.metadata);
  const noun = nouns[field];
  breaches.add("ERR_METADATA_UNDECLARED", { id: `${noun} ${key}`, key: own }, () => ({
    object: `${definition.kind.kind} ${own}`,
    message: `"${definition.name}" reads the ${noun} ${key} of ${found.kind} ${formatObjectKey(found.metadata)}, which it does not declare: a ${noun} has no schema, and everyone may write it`,
    hint: `use a field of spec or status, or a signal (defineSignal); otherwise list it in \`reads: { ${field} }\``,
  }));
}
