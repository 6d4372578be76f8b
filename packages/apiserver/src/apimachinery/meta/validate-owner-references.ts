// Rules on metadata.ownerReferences.
// Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go (ValidateOwnerReferences,
// BannedOwners).
import { encodeJson, type Json, type JsonObject } from "homeostat/api";
import * as fieldError from "../errors/field-error.ts";
import type { FieldError } from "../errors/field-error.ts";
import { metaList } from "./read-meta.ts";

const bannedOwners: readonly string[] = ["/v1, Kind=Event"];

/** Every breach, under upstream's paths, which do not carry an index. */
export function validateOwnerReferences(object: JsonObject, path: string): FieldError[] {
  const references = metaList(object, "ownerReferences") as readonly JsonObject[];
  const errors: FieldError[] = [];
  let controller = "";
  for (const reference of references) {
    errors.push(...validateReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${text(reference.kind)}/${text(reference.name)}`;
    if (!controller) controller = name;
    else
      errors.push(
        invalidShown(
          path,
          `[${references.map(formatReference).join(",")}]`,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
  }
  return errors;
}

function validateReference(reference: JsonObject, path: string): FieldError[] {
  const { group, version } = splitApiVersion(text(reference.apiVersion));
  const errors: FieldError[] = [];
  if (!version)
    errors.push(
      fieldError.invalid(
        `${path}.apiVersion`,
        text(reference.apiVersion),
        "version must not be empty",
      ),
    );
  for (const field of ["kind", "name", "uid"])
    if (!text(reference[field]))
      errors.push(fieldError.invalid(`${path}.${field}`, "", "must not be empty"));
  const kind = `${group}/${version}, Kind=${text(reference.kind)}`;
  if (bannedOwners.includes(kind))
    errors.push(
      invalidShown(path, formatReference(reference), `${kind} is disallowed from being an owner`),
    );
  return errors;
}

/** An apiVersion with more than one slash has no version, as upstream parses it. */
function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return { group: "", version: "" };
  return parts.length === 2
    ? { group: parts[0]!, version: parts[1]! }
    : { group: "", version: apiVersion };
}

/** As Go writes the struct: fields in declared order. */
function formatReference(reference: JsonObject): string {
  const members = ["apiVersion", "kind", "name", "uid"].map(
    (field) => `"${field}":${encodeJson(text(reference[field]))}`,
  );
  for (const field of ["controller", "blockOwnerDeletion"])
    if (typeof reference[field] === "boolean") members.push(`"${field}":${reference[field]}`);
  return `{${members.join(",")}}`;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const invalidShown = (field: string, shown: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: `Invalid value: ${shown}: ${detail}`,
});
