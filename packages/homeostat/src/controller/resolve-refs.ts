// Resolves declared references from the cache. Pure apart from those reads.
import { formatObjectKey } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { dropPromise } from "../util/refuse-promise.ts";
import type { Ref, Target } from "./ref.ts";
import type { NamespaceScope } from "./watching/namespace-scope.ts";
import { compileSelectionOf, type Selection } from "./watching/selection.ts";
import { type SelectableInformer, selectObjects } from "./watching/select-objects.ts";

/** The part of an informer that resolving needs. */
export interface TargetInformer extends SelectableInformer {
  get(key: ObjectKey): unknown;
}

/** Where to look up targets. */
export interface RefScope {
  /** What the informers watch. */
  readonly namespaces: NamespaceScope;
  informer(kind: Kind): TargetInformer | undefined;
  /** An object or a list of them, as the user's code receives it. */
  observe<T>(read: T): T;
  /** Receives errors of references, which then have no target. Default: they are thrown. */
  readonly failed?: (what: string, error: unknown) => void;
}

type NamedRefs = Readonly<Record<string, Ref<any, Kind, boolean>>>;

/** A reference of a controller, for messages. */
interface TitledRef {
  readonly ref: Ref<any, Kind, boolean>;
  /** E.g. `reference "chef" of "orders"`. */
  readonly title: string;
}

/**
 * The targets by reference name: one or undefined, or for many those that exist, in the order
 * named. @throws ERR_REF_NAMESPACE for a target that can never be found, for which the object would
 * wait forever.
 */
export function resolveRefs(
  { refs, name: controller }: { readonly refs: NamedRefs; readonly name: string },
  object: KubeObject,
  scope: RefScope,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(refs).map(([name, ref]) => {
      const titled = { ref, title: `reference "${name}" of "${controller}"` };
      try {
        return [name, resolveRef(titled, object, scope)];
      } catch (error) {
        if (!scope.failed) throw error;
        scope.failed(`reference "${name}"`, error);
        return [name, ref.many ? [] : undefined];
      }
    }),
  );
}

function resolveRef(titled: TitledRef, object: KubeObject, scope: RefScope): unknown {
  const { ref } = titled;
  const { keys, selections } = targetsOf(ref, object);
  for (const key of keys) refuseUnreachable(titled, key, scope);
  for (const { namespace } of selections) refuseOutside(titled, namespace, scope);
  const informer = scope.informer(ref.target);
  const found = keys.flatMap((key) => informer?.get(key) ?? []);
  if (!ref.many) return scope.observe(found[0]);
  const compiled = selections.map((one) => compileSelectionOf(ref.target, one));
  return scope.observe([...found, ...selectObjects(informer, compiled)]);
}

function refuseUnreachable(titled: TitledRef, key: ObjectKey, scope: RefScope): void {
  const { target } = titled.ref;
  if (target.scope === "Namespaced" && key.namespace === undefined)
    throw new HomeostatError(
      "ERR_REF_NAMESPACE",
      `${titled.title} leads to ${target.kind} "${key.name}" without a namespace, and the object is cluster-scoped`,
      { hint: "return { namespace, name }" },
    );
  refuseOutside(titled, key.namespace, scope, key.name);
}

function refuseOutside(
  { ref, title }: TitledRef,
  outside: string | undefined,
  { namespaces }: RefScope,
  name = "*",
): void {
  if (outside === undefined || namespaces.includes(outside)) return;
  throw new HomeostatError(
    "ERR_REF_NAMESPACE",
    `${title} leads to ${ref.target.kind} ${outside}/${name}, but this manager watches ${namespaces.description} only`,
    { hint: "let the manager watch that namespace, or refer to objects in watched ones" },
  );
}

/** What an object refers to. */
export interface Targeted {
  readonly keys: readonly ObjectKey[];
  readonly selections: readonly Selection[];
}

/**
 * The keys and selections of what an object refers to; without a namespace they are in the object's
 * own.
 */
export function targetsOf(ref: Ref<any, Kind, boolean>, object: KubeObject): Targeted {
  const { target } = ref;
  const { namespace } = object.metadata;
  const keys: ObjectKey[] = [];
  const selections: Selection[] = [];
  for (const one of [selectTargets(ref, object)].flat() as readonly (Target | Selection)[]) {
    if (one === undefined) continue;
    if (typeof one === "string" || "name" in one) keys.push(toKey(one, target, namespace));
    else if (target.scope === "Cluster") selections.push({ ...one, namespace: undefined });
    else selections.push({ ...one, namespace: one.namespace ?? namespace });
  }
  return { keys, selections };
}

/** A selector is users' code; an asynchronous one can have no index. */
function selectTargets(ref: Ref<any, Kind, boolean>, object: KubeObject): unknown {
  const selected: unknown = ref.select(object);
  if (!dropPromise(selected)) return selected;
  throw new HomeostatError(
    "ERR_REF_TARGET",
    `the reference to ${ref.target.kind} of ${formatObjectKey(object.metadata)} is a promise`,
    { hint: "write a selector that is not async and reads only its argument" },
  );
}

/** The keys of what an object refers to by name, as strings for an index. */
export function targetKeyStrings(
  ref: Ref<any, Kind, boolean>,
  object: KubeObject,
): readonly string[] {
  return targetsOf(ref, object).keys.map((key) => formatObjectKey(key));
}

function toKey(
  target: Exclude<Target, undefined>,
  kind: Kind,
  namespace: string | undefined,
): ObjectKey {
  if (kind.scope === "Cluster") return { name: typeof target === "string" ? target : target.name };
  return typeof target === "string" ? { name: target, namespace } : target;
}
