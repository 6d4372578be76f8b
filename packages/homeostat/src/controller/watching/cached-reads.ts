// Synchronous reads of declared kinds from the cache. Only declared kinds have a cache that is
// complete and fresh: a read of another kind would be empty, or open a watch in silence.
import { assertKind } from "../../api/check-kind.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import { viewId } from "../../api/fields-kind.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject, ObjectKey } from "../../api/object-meta.ts";
import { addressOf } from "../../client/check-requests.ts";
import { checkArgument } from "../../util/call-options.ts";
import { describeMissing } from "../../util/option-faults.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { ObjectAddress } from "../controller-client.ts";
import { declaredKinds } from "../declared-kinds.ts";
import type { ControllerDefinition } from "../define-controller.ts";
import { kindId } from "../echo/run-record.ts";
import { covers, type Narrowing } from "./narrow-kinds.ts";
import type { CachedReads } from "./declared-reads.ts";
import { checkOwnSelection, compileOwnSelection } from "./own-selection.ts";
import type { Selection } from "./selection.ts";
import { selectObjects } from "./select-objects.ts";

/** The part of an informer that reads need. */
export interface ReadableInformer {
  get(key: ObjectKey): unknown;
  list(options?: { readonly namespace?: string | undefined }): readonly unknown[];
  byIndex(index: string, value: string): readonly unknown[];
}

/** What reads need. */
export interface CachedReadsDependencies {
  readonly definition: ControllerDefinition;
  readonly object: KubeObject;
  informer(kind: Kind): ReadableInformer | undefined;
  readonly narrowing: Narrowing;
  /** An object or a list of them, as the user's code receives it. */
  observe<T>(read: T): T;
  /** Called before every read. */
  reading(kind: Kind, what: string): void;
}

/** The name of a declared index in its informer. */
export const indexName = (controller: string, name: string): string =>
  `index:${controller}:${name}`;

/** Creates the reads of one reconcile. */
export function createCachedReads(dependencies: CachedReadsDependencies): CachedReads<any, any> {
  const { definition, object, informer, reading, observe, narrowing } = dependencies;
  let kinds: readonly Kind[] | undefined;
  const declared = (kind: Kind, what: string): ReadableInformer => {
    refuseUndeclared(definition, (kinds ??= declaredKinds(definition)), kind);
    reading(kind, what);
    return informer(kind)!;
  };
  const own = object.metadata.namespace;
  const reads = {
    get(kind: Kind, address: string | ObjectAddress) {
      assertKind(kind, "cache.get(…)");
      const { name, namespace = own } = addressOf(kind, address);
      if (typeof name !== "string" || name === "") throw missingName(kind, name);
      const key = kind.scope === "Cluster" ? { name } : { name, namespace };
      const what = `cache.get(${kind.kind} ${formatObjectKey(key)})`;
      const found = declared(kind, what).get(key);
      if (found === undefined && narrowing.selectionOf(kind))
        refuseBeyond(dependencies, kind, what);
      return observe(found);
    },
    list(kind: Kind, options: Selection = {}) {
      assertKind(kind, "cache.list(…)");
      checkOwnSelection(kind, options, "cache.list");
      const selection = compileOwnSelection(kind, object, options);
      const what = `cache.list(${kind.kind})`;
      const found = declared(kind, what);
      const cached = narrowing.selectionOf(kind);
      if (cached && !covers(cached, selection)) refuseBeyond(dependencies, kind, what);
      return observe(selectObjects(found, [selection]));
    },
    byIndex(name: string, value: string) {
      checkArgument("cache.byIndex(…)", ["the name of the index", name], "a string");
      checkArgument(`cache.byIndex("${name}", …)`, ["the value", value], "a string");
      const { target } = knownIndex(definition, name);
      const found = declared(target, `cache.byIndex("${name}")`);
      return observe(found.byIndex(indexName(definition.name, name), value));
    },
  };
  return reads as CachedReads<any, any>;
}

const missingName = ({ kind }: Kind, name: unknown): HomeostatError =>
  new HomeostatError(
    "ERR_CLIENT_NAME",
    `cache.get(${kind}): expected the name of one object, got ${describeMissing(name)}`,
    { hint: "pass the object's name, or { namespace, name }" },
  );

function refuseUndeclared(
  { name }: ControllerDefinition,
  declared: readonly Kind[],
  kind: Kind,
): void {
  const isCached = (one: Kind): boolean =>
    kindId(one) === kindId(kind) && viewId(one) === viewId(kind);
  if (declared.some(isCached)) return;
  throw new HomeostatError(
    "ERR_UNDECLARED",
    `"${name}" reads ${kind.kind} from the cache, which it does not declare`,
    { hint: "list the kind in `owns`, `refs` or `watches`, or read it with `client`" },
  );
}

/** What was not selected may exist: the next run knows. */
export function refuseBeyond(
  { definition, narrowing }: Pick<CachedReadsDependencies, "definition" | "narrowing">,
  kind: Kind,
  what: string,
): never {
  narrowing.widen(kind);
  throw new HomeostatError(
    "ERR_CACHE_NARROW",
    `"${definition.name}" calls ${what}, but only what it watches of the kind was cached; all of it is from now on`,
    {
      hint: `declare \`all(${kind.kind})\` in \`watches\`, or an index, to cache all from the start`,
    },
  );
}

function knownIndex({ name: controller, indexes }: ControllerDefinition, name: string) {
  const found = indexes[name];
  if (found) return found;
  throw new HomeostatError(
    "ERR_CACHE_INDEX",
    `"${controller}" reads by index "${name}"; it declares ${Object.keys(indexes).join(", ") || "none"}`,
    { hint: "declare it in `indexes`" },
  );
}
