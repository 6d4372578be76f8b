// What a process that has been replaced creates for the last time.
import { operatorName } from "../run/actors.ts";
import type { Outcome } from "../run/outcome.ts";
import { describeTarget } from "../wire/read-request.ts";
import { isCreation, isDeletion, targetOf } from "./writes.ts";

/**
 * A creation that was on its way from a process that has been replaced, and arrived after its
 * object had been deleted for good: no client can prevent that, and the Lease of an election does.
 */
export function lateCreation({
  plan: { deeds },
  writes,
}: Outcome): { readonly title: string; readonly uid: string | undefined } | undefined {
  if (!deeds.some((deed) => deed.do === "two-leaders")) return undefined;
  const late = writes.findLast(({ process }) => process === operatorName(1));
  if (late === undefined || !isCreation(late)) return undefined;
  if (!writes.some((one) => isDeletion(one) && targetOf(one) === targetOf(late))) return undefined;
  const { kind = "", metadata } = late.answer ?? {};
  const title = describeTarget({ ...late.info, resource: kind, name: metadata?.name ?? "" });
  return { title, uid: metadata?.uid };
}
