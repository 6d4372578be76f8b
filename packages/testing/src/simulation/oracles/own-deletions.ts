// An operator deletes what it has made.
import type { Outcome } from "../run/outcome.ts";
import type { Violation } from "./violation.ts";
import { createdBy, deletedBy, isCreation, isDeletion, targetOf } from "./writes.ts";

/** It deletes what it has not created, and does not in a clean run. */
export function foreignDeletions(run: Outcome, clean: Outcome): readonly Violation[] {
  const usual = new Set(deletedBy(clean));
  const created = new Set(createdBy(run));
  return [...new Set(deletedBy(run))]
    .filter((what) => !usual.has(what) && !created.has(what))
    .map((what) => ({
      oracle: "deletes-only-its-own",
      what: `${what} was deleted by the operator, which has not created it`,
    }));
}

/**
 * It deletes, when nothing goes wrong, what it has never written, of a kind of which it makes
 * objects itself. Kinds of which it makes none it may be there to delete, as one that drains nodes.
 */
export function strangeDeletions({ writes }: Outcome): readonly Violation[] {
  const made = new Set(writes.filter(isCreation).map(({ info }) => info.resource));
  const written = new Set(writes.filter((write) => !isDeletion(write)).map(targetOf));
  const strange = writes.filter(
    (write) => isDeletion(write) && made.has(write.info.resource) && !written.has(targetOf(write)),
  );
  return [...new Set(strange.map(targetOf))].map((what) => ({
    oracle: "deletes-only-its-own",
    what: `${what} was deleted by the operator, which has neither created nor changed it`,
  }));
}
