// Validates the fields that each version has or, when all agree, spec: subresources, printer
// columns and selectable fields.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (ValidateCustomResourceDefinitionSubresources, ValidateCustomResourceColumnDefinition,
// ValidateCustomResourceSelectableFields).
import { encodeJson } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import type { PrinterColumn, SelectableField, Subresources } from "../definition/definition.ts";
import { validFieldPath } from "../../../schema/valid-field-path.ts";

/** `scale` paths. */
export function validateSubresources(
  subresources: Subresources | undefined,
  path: string,
): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const under = (field: "specReplicasPath" | "statusReplicasPath", root: string): FieldError[] => {
    const value = scale[field];
    if (!value) return [fieldError.required(`${path}.scale.${field}`, "")];
    const errors = simplePathErrors(value, `${path}.scale.${field}`);
    return errors.length || value.startsWith(`.${root}.`)
      ? errors
      : [
          fieldError.invalid(
            `${path}.scale.${field}`,
            value,
            `should be a json path under .${root}`,
          ),
        ];
  };
  return [
    ...under("specReplicasPath", "spec"),
    ...under("statusReplicasPath", "status"),
    ...selectorPathErrors(scale.labelSelectorPath, `${path}.scale.labelSelectorPath`),
  ];
}

function selectorPathErrors(value: string | undefined, path: string): FieldError[] {
  if (!value) return [];
  const errors = simplePathErrors(value, path);
  if (errors.length || value.startsWith(".spec.") || value.startsWith(".status.")) return errors;
  return [
    {
      type: "FieldValueInvalid",
      field: path,
      body: `Invalid value: ${encodeJson(value)}: should be a json path under either .spec or .status`,
    },
  ];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

/** One printer column; its path is only required to start with a dot. */
export function validatePrinterColumn(column: PrinterColumn, path: string): FieldError[] {
  return [
    ...errorIf(!column.name, () => fieldError.required(`${path}.name`, "")),
    ...columnTypeErrors(column.type, `${path}.type`),
    ...errorIf(column.format && !columnFormats.includes(column.format), () =>
      fieldError.invalid(
        `${path}.format`,
        column.format,
        `must be one of ${columnFormats.join(",")}`,
      ),
    ),
    ...(column.jsonPath
      ? simplePathErrors(column.jsonPath, `${path}.JSONPath`)
      : [fieldError.required(`${path}.JSONPath`, "")]),
  ];
}

function columnTypeErrors(type: string | undefined, path: string): FieldError[] {
  const detail = `must be one of ${columnTypes.join(",")}`;
  if (!type) return [fieldError.required(path, detail)];
  return errorIf(!columnTypes.includes(type), () => fieldError.invalid(path, type, detail));
}

function simplePathErrors(value: string, path: string): FieldError[] {
  return errorIf(!value.startsWith("."), () =>
    fieldError.invalid(path, value, "must be a simple json path starting with ."),
  );
}

const maxSelectableFields = 8;

/** Selectable fields against the schema that defines them. */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonSchemaProps,
  path: string,
): FieldError[] {
  const seen = new Set<string>();
  const errors = eachItem(fields, path, ({ jsonPath }, at) =>
    jsonPath
      ? selectableFieldErrors(jsonPath, schema, seen, `${at}.jsonPath`)
      : [fieldError.required(`${at}.jsonPath`, "")],
  );
  return seen.size > maxSelectableFields
    ? [...errors, fieldError.tooMany(path, seen.size, maxSelectableFields)]
    : errors;
}

function selectableFieldErrors(
  jsonPath: string,
  root: JsonSchemaProps,
  seen: Set<string>,
  path: string,
): FieldError[] {
  const found = validFieldPath(jsonPath, root, { arrays: "refused" });
  if ("fault" in found)
    return [fieldError.invalid(path, jsonPath, `is an invalid path: ${found.fault}`)];
  const errors: FieldError[] = [];
  if (found.names[0] === "metadata")
    errors.push(fieldError.invalid(path, jsonPath, "must not point to fields in metadata"));
  if (!["string", "boolean", "integer"].includes(found.schema?.type ?? ""))
    errors.push(
      fieldError.invalid(
        path,
        jsonPath,
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
      ),
    );
  if (seen.has(found.path)) errors.push(fieldError.duplicate(path, jsonPath));
  seen.add(found.path);
  return errors;
}
