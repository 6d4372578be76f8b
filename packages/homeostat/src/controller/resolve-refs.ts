// Resolves declared references from the cache. Pure apart from those reads.
import { formatObjectKey } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { Ref, Target } from "./ref.ts";

/** The part of an informer that resolving needs. */
export interface TargetInformer {
  get(key: ObjectKey): unknown;
}

/** Where to look up targets. */
export interface RefScope {
  /** The namespace that informers watch; undefined when they watch all. */
  readonly namespace: string | undefined;
  informer(kind: Kind): TargetInformer | undefined;
  /** Receives errors of references, which then have no target. Default: they are thrown. */
  readonly failed?: (name: string, error: unknown) => void;
}

/**
 * The targets by reference name: one or undefined, or for many those that exist, in the order
 * named. @throws ERR_REF_NAMESPACE for a target outside the watched namespace, for which the object
 * would wait forever.
 */
export function resolveRefs(
  {
    refs,
    name: controller,
  }: { readonly refs: Readonly<Record<string, Ref<any, Kind, boolean>>>; readonly name: string },
  object: KubeObject,
  { namespace, informer, failed }: RefScope,
): Readonly<Record<string, unknown>> {
  const resolve = (name: string, ref: Ref<any, Kind, boolean>): unknown => {
    const keys = targetKeys(ref, object);
    const outside =
      namespace === undefined
        ? undefined
        : keys.find((key) => key.namespace !== undefined && key.namespace !== namespace);
    if (outside)
      throw new HomeostatError(
        "ERR_REF_NAMESPACE",
        `reference "${name}" of "${controller}" leads to ${ref.target.kind} ${outside.namespace}/${outside.name}, but this manager watches namespace ${namespace} only`,
        { hint: "let the manager watch all namespaces, or refer to objects of its own" },
      );
    const found = keys.flatMap((key) => informer(ref.target)?.get(key) ?? []);
    return ref.many ? found : found[0];
  };
  return Object.fromEntries(
    Object.entries(refs).map(([name, ref]) => {
      try {
        return [name, resolve(name, ref)];
      } catch (error) {
        if (!failed) throw error;
        failed(name, error);
        return [name, ref.many ? [] : undefined];
      }
    }),
  );
}

/** The keys of what an object refers to; a target without a namespace is in the object's own. */
export function targetKeys(ref: Ref<any, Kind, boolean>, object: KubeObject): readonly ObjectKey[] {
  const targets = [selectTargets(ref, object)].flat() as readonly Target[];
  return targets.flatMap((target) =>
    target === undefined ? [] : [toKey(target, ref.target, object.metadata.namespace)],
  );
}

/** A selector is users' code; an asynchronous one can have no index. */
function selectTargets(ref: Ref<any, Kind, boolean>, object: KubeObject): unknown {
  const selected: unknown = ref.select(object);
  if (!(selected instanceof Promise)) return selected;
  selected.catch(() => {});
  throw new HomeostatError(
    "ERR_REF_TARGET",
    `the reference to ${ref.target.kind} of ${formatObjectKey(object.metadata)} is a promise`,
    { hint: "write a selector that is not async and reads only its argument" },
  );
}

/** The same, as strings for an index. */
export function targetKeyStrings(
  ref: Ref<any, Kind, boolean>,
  object: KubeObject,
): readonly string[] {
  return targetKeys(ref, object).map((key) => formatObjectKey(key));
}

function toKey(
  target: Exclude<Target, undefined>,
  kind: Kind,
  namespace: string | undefined,
): ObjectKey {
  if (kind.scope === "Cluster") return { name: typeof target === "string" ? target : target.name };
  return typeof target === "string" ? { name: target, namespace } : target;
}
