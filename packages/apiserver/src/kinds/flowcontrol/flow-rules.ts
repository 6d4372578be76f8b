// What flow schemas and priority levels share: a generation that follows the spec, a status
// endpoint that keeps all else.
// Upstream:
// k8s.io/kubernetes/pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go.
import { duplicate, type FieldError, required } from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import type { JsonObject } from "homeostat/api";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { warnNotEnforced } from "../object/not-enforced.ts";
import { itemsAt } from "../object/read-fields.ts";
import {
  finalizerErrors,
  keepOld,
  metadataOf,
  objectAt,
  specStatusRules,
  stringAt,
} from "../object/strategy.ts";

/** Rules and views of such a kind; `validate` sees the whole object. */
export function flowRules(
  kind: string,
  validate: (object: JsonObject) => readonly FieldError[],
): Required<Pick<BuiltinKind, "rules" | "views">> {
  return {
    rules: {
      ...specStatusRules,
      validateCreate: (object, context) =>
        warnNotEnforced(kind, context, [...finalizerErrors(object), ...validate(object)]),
      validateUpdate: (object, _old, context) =>
        warnNotEnforced(kind, context, [
          ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
          ...finalizerErrors(object),
          ...validate(object),
          ...conditionErrors(object),
        ]),
    },
    views: {
      status: {
        resetFields: [["f:metadata"], ["f:spec"]],
        prepareForUpdate(object, old) {
          const { managedFields, resourceVersion } = metadataOf(object);
          object["metadata"] = {
            ...metadataOf(old),
            ...(managedFields === undefined ? {} : { managedFields }),
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
          };
          keepOld(object, old, "spec");
        },
        validateUpdate: conditionErrors,
      },
    },
  };
}

function conditionErrors(object: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return itemsAt(objectAt(object, "status"), "conditions").flatMap((condition, i) => {
    const type = stringAt(condition, "type");
    const path = `status.conditions[${i}].type`;
    const errors = [
      ...(seen.has(type) ? [duplicate(path, type)] : []),
      ...(type ? [] : [required(path, "")]),
    ];
    seen.add(type);
    return errors;
  });
}
