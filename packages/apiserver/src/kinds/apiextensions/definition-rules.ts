// The validation of CustomResourceDefinitions and the warnings about them, in one value: it loads
// with the first definition, because most of its modules are about schemas.
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { Definition } from "./definition/definition.ts";
import { unrecognizedFormats } from "./schema/unrecognized-formats.ts";
import {
  validateDefinitionChange,
  validateDefinitionStatus,
  validateNewDefinition,
} from "./validation/validate-definition.ts";
import type { SchemaChecks } from "./validation/validate-root-schema.ts";

/** What the strategy of definitions asks. */
export interface DefinitionRules {
  validateNew(definition: Definition): FieldError[];
  validateChange(definition: Definition, old: Definition): FieldError[];
  validateStatus(definition: Definition): FieldError[];
  /** Formats without a check, in the order of discovery. */
  unrecognizedFormats(definition: Definition): readonly string[];
}

/** Creates the rules; schemas are checked with `checks`. */
export function createDefinitionRules(checks: SchemaChecks): DefinitionRules {
  return {
    validateNew: (definition) => validateNewDefinition(definition, checks),
    validateChange: (definition, old) => validateDefinitionChange(definition, old, checks),
    validateStatus: validateDefinitionStatus,
    unrecognizedFormats: ({ spec }) => unrecognizedFormats(spec),
  };
}
