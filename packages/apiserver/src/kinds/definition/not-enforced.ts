// The warning of kinds that this server stores, validates and shows as upstream does, but that do
// not take effect.
import type { ValidationContext } from "../../apimachinery/rest/write-context.ts";
import type { StrategyOverrides } from "./kind-definition.ts";

/** Warns about every write that is stored; dry runs store nothing. */
export function notEnforcedWarnings<T extends object>(
  kind: string,
  isEnforced: (object: T) => boolean = () => false,
): Required<Pick<StrategyOverrides<T>, "warningsOnCreate" | "warningsOnUpdate">> {
  const warnings = (object: T, { dryRun }: ValidationContext): readonly string[] =>
    dryRun || isEnforced(object) ? [] : [`${kind} is stored but not enforced by this server yet`];
  return {
    warningsOnCreate: warnings,
    warningsOnUpdate: (object, _old, context) => warnings(object, context),
  };
}
