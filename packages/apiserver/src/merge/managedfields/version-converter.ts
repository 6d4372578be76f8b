// Converts typed objects between versions.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/versionconverter.go.
import { type JsonObject, parseApiVersion } from "homeostat/api";
import { MergeError } from "../fieldpath/merge-error.ts";
import { formatTypedErrors } from "../typed/typed-error.ts";
import { validateTyped } from "../typed/validate-typed.ts";
import type { FieldManagerOptions } from "./field-manager-options.ts";
import type { ConvertTyped } from "./managers.ts";

/** Creates the converter of one endpoint. */
export function createVersionConverter(
  options: Pick<FieldManagerOptions, "typeOf" | "unknownVersions" | "convert">,
): ConvertTyped {
  return (object, apiVersion) => {
    if (object.apiVersion === apiVersion) return object;
    if (!parseApiVersion(apiVersion))
      throw new MergeError(`unexpected GroupVersion string: ${apiVersion}`);
    const type = options.typeOf(apiVersion);
    if (!type && options.unknownVersions === "fail")
      throw new MergeError(`request to convert CR to an invalid group/version: ${apiVersion}`);
    if (!type) return undefined;
    const value = options.convert(object.value as JsonObject, apiVersion);
    const errors = validateTyped(type, value, "refused");
    if (errors.length) throw new MergeError(formatTypedErrors(errors));
    return { apiVersion, type, value };
  };
}
