// jsonpatch.escapeKey: escapes a key for a JSON pointer. Mutating policies only.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/jsonpatch.go.
import { convertedArgument } from "../cost/prices.ts";
import { overload, pricedFunction } from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { stringType } from "../types/type.ts";

/** JSON pointers. */
export const jsonPatchLibrary: Library = {
  name: "kubernetes json patch",
  functions: [
    pricedFunction(convertedArgument, {
      name: "jsonpatch.escapeKey",
      overloads: [
        overload("string_jsonpatch_escapeKey_string", [stringType], stringType, (key) =>
          (key as string).replaceAll("~", "~0").replaceAll("/", "~1"),
        ),
      ],
    }),
  ],
};
