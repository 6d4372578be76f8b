// The error about an object that does not match the definition of its kind.
import type { Mismatch } from "../api/resource/compile-structure.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";

const code = "ERR_OBJECT_MISMATCH";

/** `object` is e.g. `Meal kitchen/lunch`. */
export function mismatchError(object: string, { message, isInSpec }: Mismatch): HomeostatError {
  const effect = isInSpec
    ? "it is not reconciled, and reads of other objects leave it out"
    : "only its own controllers read it, to set it right";
  return new HomeostatError(
    code,
    `${object} does not match its definition: ${message}; ${effect}`,
    {
      hint: "correct or delete the object; if there are many, the CustomResourceDefinition in the cluster is older or looser than the program's: install that",
    },
  );
}

export function isMismatchError(error: unknown): error is HomeostatError {
  return isHomeostatError(error, code);
}
