// Validates the syntax of a definition's names, and that kind and list kind differ. The validation
// of the spec finds missing names.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (ValidateCustomResourceDefinitionNames).
import { dns1035LabelFaults } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { DefinitionNames } from "../definition/definition.ts";

/** Violations in spec.names or status.acceptedNames. */
export function validateNames(names: DefinitionNames, path: string): FieldError[] {
  const label = (field: string, name: string): FieldError[] =>
    joined(dns1035LabelFaults(name)).map((text) =>
      fieldError.invalid(`${path}.${field}`, name, text),
    );
  const kind = (field: "kind" | "listKind"): FieldError[] => {
    const name = names[field];
    return name
      ? joined(dns1035LabelFaults(name.toLowerCase())).map((text) =>
          fieldError.invalid(
            `${path}.${field}`,
            name,
            `may have mixed case, but should otherwise match: ${text}`,
          ),
        )
      : [];
  };
  return [
    ...(names.plural ? label("plural", names.plural) : []),
    ...(names.singular ? label("singular", names.singular) : []),
    ...kind("kind"),
    ...kind("listKind"),
    ...eachItem(names.shortNames, "shortNames", (name, at) => label(at, name)),
    ...errorIf(names.kind && names.kind === names.listKind, () =>
      fieldError.invalid(
        `${path}.listKind`,
        names.listKind,
        "kind and listKind may not be the same",
      ),
    ),
    ...eachItem(names.categories, "categories", (name, at) => label(at, name)),
  ];
}

const joined = (faults: readonly string[]): readonly string[] =>
  faults.length ? [faults.join(",")] : [];
