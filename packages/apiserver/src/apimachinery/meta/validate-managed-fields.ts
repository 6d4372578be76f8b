// Validates metadata.managedFields as clients may send them; merge interprets the fields.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go (ValidateManagedFields,
// ValidateFieldManager).
import type { Json, JsonObject } from "homeostat/api";
import * as fieldError from "../errors/field-error.ts";
import type { FieldError } from "../errors/field-error.ts";
import { isPrintable } from "../errors/is-printable.ts";
import { metaList } from "./read-meta.ts";

const maxManagerBytes = 128;
const maxSubresourceBytes = 256;

/** Every breach. */
export function validateManagedFields(object: JsonObject, path: string): FieldError[] {
  return (metaList(object, "managedFields") as readonly JsonObject[]).flatMap((entry, i) =>
    validateEntry(entry, `${path}[${i}]`),
  );
}

/** The name of a field manager: at most 128 bytes, all printable. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > maxManagerBytes)
    errors.push(fieldError.tooLong(path, maxManagerBytes));
  let at = 0;
  for (const c of manager) {
    if (!isPrintable(c))
      errors.push(
        fieldError.invalid(path, manager, `invalid character ${formatRune(c)} (at position ${at})`),
      );
    at += Buffer.byteLength(c);
  }
  return errors;
}

function validateEntry(entry: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (entry.operation !== "Apply" && entry.operation !== "Update")
    errors.push(
      fieldError.invalid(`${path}.operation`, text(entry.operation), "must be `Apply` or `Update`"),
    );
  const fieldsType = text(entry.fieldsType);
  if (fieldsType && fieldsType !== "FieldsV1")
    errors.push(fieldError.invalid(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  errors.push(...validateFieldManager(text(entry.manager), `${path}.manager`));
  if (Buffer.byteLength(text(entry.subresource)) > maxSubresourceBytes)
    errors.push(fieldError.tooLong(`${path}.subresource`, maxSubresourceBytes));
  return errors;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Go's %#U: `U+0007`, or `U+00A0 ' '` when printable. */
function formatRune(c: string): string {
  const code = `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  return isPrintable(c) ? `${code} '${c}'` : code;
}
