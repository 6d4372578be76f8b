// Entries of `owns` that say more than the kind.
import type { Kind, ObjectOf } from "../api/kind.ts";
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { isKind } from "../api/check-kind.ts";
import { describeMissing, isOptions, unknownOptions } from "../util/option-faults.ts";
import { checkOptionalFunction } from "./check-values.ts";
import type { Predicate } from "./predicates.ts";

/** Options of {@link owned}. */
export interface OwnedOptions<K extends Kind> {
  /**
   * Drops updates of owned objects for which it returns false. Objects that appear, disappear or
   * change their owner always count; so does the begin of a deletion.
   */
  readonly when?: Predicate<ObjectOf<K>>;
}

const known = ["when"];
const predicates = new WeakMap<Kind, Predicate>();

/**
 * An owned kind whose changes reconcile under a condition: `owns: [owned(Deployment, { when })]`.
 * @throws ERR_CONTROLLER_DEFINITION
 */
export function owned<K extends Kind>(kind: K, options: OwnedOptions<K>): K {
  if (!isKind(kind))
    throw refusal("an owned kind", `owned(…) was given ${describeValue(kind)}, expected a kind`);
  if (!isOptions(options))
    throw refusal(
      `the owned kind ${(kind as Kind).kind}`,
      `its second argument is ${describeMissing(options)}, expected { when }`,
    );
  const { when } = options;
  for (const problem of [...unknownOptions(options, known), ...checkOptionalFunction("when", when)])
    throw refusal(`the owned kind ${(kind as Kind).kind}`, problem);
  const entry = Object.create(kind) as K;
  if (when) predicates.set(entry, when as Predicate);
  return entry;
}

const refusal = (what: string, problem: string): HomeostatError =>
  new HomeostatError("ERR_CONTROLLER_DEFINITION", `declaring ${what}: ${problem}`, {
    hint: "correct what the message names; a kind that is undefined may come from a circular import",
  });

/** The predicate of an entry of `owns`. */
export function whenOwned(kind: Kind): Predicate | undefined {
  return predicates.get(kind);
}
