// The standard library: operators, conversions, strings, time, the names of the basic types, and
// protobuf's messages.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go.
import type { Library } from "../environment/environment.ts";
import { namedTypes } from "../types/type.ts";
import { conversionFunctions } from "./conversions.ts";
import { protobufConstants, protobufMessages } from "./protobuf-messages.ts";
import { operatorFunctions } from "./operators.ts";
import { stringTests } from "./strings.ts";
import { timeFunctions } from "./time.ts";

/** The standard library. */
export const standardLibrary: Library = {
  name: "standard",
  functions: [...operatorFunctions, ...conversionFunctions, ...stringTests, ...timeFunctions],
  types: namedTypes,
  structs: protobufMessages,
  constants: protobufConstants,
};
