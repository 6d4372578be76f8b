// The type of `own`, as users call it, and the check of what they pass.
import type { Kind, ManifestOf, ObjectOf } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { checkOptions, type KnownOptions } from "../../util/call-options.ts";
import { describeMissing, isOptions } from "../../util/option-faults.ts";

/** Options of `own`. */
export interface OwnOptions<K extends Kind = any> {
  /** Names a set, for several sets of one kind; each set prunes only its own members. */
  readonly set?: string;
  /** Adopts an existing object that has no controller. Default: such an object is an error. */
  readonly adopt?: boolean;
  /**
   * Orders the sets of a reconcile: objects are applied once all objects of sets with a lower order
   * are ready, and deleted before those. Until then own() changes nothing, resolves to those of the
   * objects that exist, and the reconcile counts as waiting unless it returns another result.
   */
  readonly order?: number;
  /**
   * Whether an object is ready, for sets with a higher order. Default: what the object's status
   * says; objects of kinds that report no readiness are ready once they exist. Not called with
   * an object that does not match its definition, which is not ready.
   */
  readonly ready?: (object: ObjectOf<K>) => boolean;
}

/** In place of an object that is not desired: what `wanted && Kind(…)` is when it is not wanted. */
export type LeftOut = undefined | null | false;

/** True for no object. Other values, such as an empty name, are mistakes. */
function isLeftOut(one: unknown): one is LeftOut {
  return one === undefined || one === null || one === false;
}

/**
 * Brings the owned objects of one kind to the state in `desired`: applies differences and deletes
 * objects that are no longer desired. Resolves to the current objects, in the order of `desired`,
 * without those that are left out: `own(Kind, [wanted && Kind(…)])`.
 */
export type Own<Owned extends Kind> = [Owned] extends [never]
  ? (...undeclared: readonly "ERR_UNDECLARED: list the kind in `owns`"[]) => never
  : <O extends Owned>(
      kind: O,
      desired: readonly (ManifestOf<O> | LeftOut)[],
      options?: OwnOptions<O>,
    ) => Promise<readonly ObjectOf<O>[]>;

const known = {
  set: "a string",
  adopt: "true or false",
  order: "a number",
  ready: "a function",
} as const satisfies KnownOptions<OwnOptions>;

/** What `own` is to bring about, without what is left out. @throws ERR_OWN_ARGUMENT */
export function desiredOf(
  kind: Kind,
  given: readonly (KubeObject | LeftOut)[],
  options?: OwnOptions,
): readonly KubeObject[] {
  checkOptions(`own(${kind.kind}, …)`, options, known);
  if (!Array.isArray(given))
    throw wrong(kind, `its second argument is ${describeMissing(given)}, expected a list`);
  const desired = (given as readonly (KubeObject | LeftOut)[]).filter((one) => !isLeftOut(one));
  for (const one of desired as readonly KubeObject[]) refuseUnnamed(kind, one);
  return desired as readonly KubeObject[];
}

function refuseUnnamed(kind: Kind, one: KubeObject): void {
  if (!isOptions(one?.metadata))
    throw wrong(kind, `it lists ${describeMissing(one)}, expected a manifest with metadata`);
  const { name, namespace } = one.metadata as Readonly<Record<string, unknown>>;
  if (typeof name !== "string")
    throw wrong(kind, `it lists an object named ${describeMissing(name)}, expected a name`);
  if (namespace !== undefined && typeof namespace !== "string")
    throw wrong(kind, `the namespace of ${name} is ${describeMissing(namespace)}, expected a name`);
}

const wrong = ({ kind }: Kind, problem: string): HomeostatError =>
  new HomeostatError("ERR_OWN_ARGUMENT", `own(${kind}, …): ${problem}`, {
    hint: "await own(Kind, [Kind(name, spec)]), with [] for none",
  });
