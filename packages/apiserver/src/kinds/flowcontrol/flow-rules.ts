// What flow schemas and priority levels share: a generation that follows the spec, a status
// endpoint that keeps all else.
// Upstream:
// k8s.io/kubernetes/pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go.
import { duplicate, type FieldError, required } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { JsonObject } from "homeostat/api";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { notEnforcedWarnings } from "../definition/not-enforced.ts";
import { itemsAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, keepOld, specStatusStrategy } from "../definition/default-strategy.ts";

/** Rules and views of such a kind; `validate` sees the whole object. */
export function flowRules(
  kind: string,
  validate: (object: JsonObject) => readonly FieldError[],
): Required<Pick<KindDefinition, "strategy" | "subresources">> {
  return {
    strategy: {
      ...specStatusStrategy,
      validateCreate: (object) => [...finalizerErrors(object), ...validate(object)],
      validateUpdate: (object) => [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validate(object),
        ...conditionErrors(object),
      ],
      warningsOnCreate: (_object, context) => notEnforcedWarnings(kind, context),
      warningsOnUpdate: (_object, _old, context) => notEnforcedWarnings(kind, context),
    },
    subresources: {
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
