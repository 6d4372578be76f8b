// Gives the functions of a definition what prints values of internal Go types: validation names
// such a value and its type, and the errors of the bound definition show it.
import type { JsonObject } from "homeostat/api";
import { printError, type PrintInternal } from "../../apimachinery/errors/field-error.ts";
import type { ReviewHandler } from "../../apimachinery/rest/review.ts";
import { toOutcome } from "../../apimachinery/rest/strategy.ts";
import { withEmptied } from "./restore-emptied.ts";
import type { AnyKindDefinition, KindDefinition, StrategyOverrides } from "./kind-definition.ts";

/** A definition whose functions have their printer. */
export interface BoundKindDefinition extends Omit<
  AnyKindDefinition,
  "defaults" | "storage" | "review"
> {
  readonly defaults?: (object: JsonObject) => void;
  readonly storage?: BoundStorage;
  readonly review?: ReviewHandler;
}

/** The conversion from and to the storage version. */
export interface BoundStorage extends Omit<NonNullable<KindDefinition["storage"]>, "fromStorage"> {
  readonly fromStorage: (stored: JsonObject) => JsonObject;
}

/** Binds `print` to every function of the definition that prints. */
export function bindPrinter(
  definition: AnyKindDefinition,
  print: PrintInternal,
): BoundKindDefinition {
  const { defaults, review, storage, strategy, subresources, ...rest } = definition;
  return {
    ...rest,
    ...(defaults ? { defaults: (object: JsonObject) => defaults(object, print) } : {}),
    ...(review ? { review: (object, caller) => review(object, caller, print) } : {}),
    ...(storage
      ? { storage: { ...storage, fromStorage: (stored) => storage.fromStorage(stored, print) } }
      : {}),
    ...(strategy ? { strategy: withPrintedErrors(strategy, print) } : {}),
    ...(subresources
      ? {
          subresources: Object.fromEntries(
            Object.entries(subresources).map(([name, each]) => [
              name,
              withPrintedErrors(each, print),
            ]),
          ),
        }
      : {}),
  };
}

function withPrintedErrors(overrides: StrategyOverrides, print: PrintInternal): StrategyOverrides {
  const { validateCreate, validateUpdate } = overrides;
  return {
    ...overrides,
    ...(validateCreate
      ? {
          validateCreate: (object, context) =>
            withEmptied(validateCreate(object, context), object, context.emptied, (full) =>
              validateCreate(full, context),
            ).map((error) => printError(error, print)),
        }
      : {}),
    ...(validateUpdate
      ? {
          validateUpdate(object, old, context) {
            const { errors, warnings } = toOutcome(validateUpdate(object, old, context));
            const full = withEmptied(
              errors,
              object,
              context.emptied,
              (whole) => toOutcome(validateUpdate(whole, old, context)).errors,
            );
            return { errors: full.map((error) => printError(error, print)), warnings };
          },
        }
      : {}),
  };
}
