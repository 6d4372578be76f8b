// Server-side apply: an apply configuration in YAML (or JSON, which is YAML), merged by the field
// manager.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (applyPatcher).
import { isObject, type JsonObject } from "homeostat/api";
import type { FieldManager } from "../../merge/managedfields/field-manager.ts";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { type ParsedYaml, parseYaml, YamlSyntaxError } from "../body/parse-yaml.ts";
import { bodyOf } from "../body/request-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import type { WriteOptions } from "../options/write-options.ts";

/**
 * An apply configuration that has been read, ready for any number of attempts; `live` is an empty
 * object for a create.
 */
export type ApplyPatch = (live: JsonObject) => JsonObject;

/** Reads an apply body. Throws 400. */
export async function readApplyPatch(
  scope: RequestScope,
  manager: FieldManager,
  options: WriteOptions,
): Promise<ApplyPatch> {
  const { value, strictErrors } = await parse(bodyOf(scope.request));
  const applied = value ?? {};
  if (!isObject(applied))
    throw badRequestError(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKindOf(applied)} into Go value of type map[string]interface {}`,
    );
  return (live) => {
    const merged = manager.apply(live, applied, {
      manager: options.fieldManager,
      force: options.force,
      now: scope.request.now,
      takeEmptied: (members) => (scope.request.emptied = members),
    });
    report(scope, strictErrors, options);
    return merged;
  };
}

async function parse(body: Uint8Array): Promise<ParsedYaml> {
  try {
    return await parseYaml(body);
  } catch (error) {
    throw error instanceof YamlSyntaxError
      ? badRequestError(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
      : error;
  }
}

/** Reports duplicate keys; the merge has refused unknown fields. */
function report(
  { request }: RequestScope,
  strictErrors: readonly string[],
  { fieldValidation }: WriteOptions,
): void {
  if (!strictErrors.length || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict")
    throw badRequestError(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${strictErrors.map((text) => `  ${text}`).join("\n")}`,
    );
  for (const text of strictErrors) request.warnings.add(text);
}
