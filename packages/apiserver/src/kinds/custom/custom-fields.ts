// Selectable fields of a custom resource: scalar values at the JSON paths of a version, as Go
// prints them.
// Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go
// (selectableFields), pkg/apiserver/conversion/converter.go (ConvertFieldLabel).
import type { JsonObject } from "homeostat/api";
import { findJsonPath } from "../../json-path/find-json-path.ts";
import type { JsonPath } from "../../json-path/json-path-node.ts";
import { parseJsonPath } from "../../json-path/parse-json-path.ts";
import { formatGoValue } from "../../apimachinery/values/go-format.ts";
import type { SelectableFields } from "../../apimachinery/rest/selectable-fields.ts";
import type { CustomResourceDefinitionVersion } from "homeostat/k8s/apiextensions/v1";

const fieldName = (jsonPath: string): string => jsonPath.replace(/^\./, "");

/**
 * The fields of one version. The indexed attributes hold the fields of all versions, because
 * objects are selected by any of them.
 */
export function createSelectableFields(
  version: CustomResourceDefinitionVersion,
  all: readonly CustomResourceDefinitionVersion[],
): SelectableFields {
  const paths = new Map(
    all.flatMap((each) =>
      (each.selectableFields ?? []).map(
        ({ jsonPath }) => [fieldName(jsonPath), parseJsonPath(`{${jsonPath}}`)] as const,
      ),
    ),
  );
  return {
    names: (version.selectableFields ?? []).map(({ jsonPath }) => fieldName(jsonPath)),
    selectsNamespace: false,
    extract: (object) =>
      Object.fromEntries([...paths].map(([name, path]) => [name, valueAt(object, path)])),
    unknownMessage: (name) => `field label not supported: ${name}`,
  };
}

/** "" for absent and null. */
function valueAt(object: JsonObject, path: JsonPath): string {
  const value = findJsonPath(path, object, { missingKeys: "allowed" })[0]?.[0];
  return value === undefined || value === null ? "" : formatGoValue(value);
}
