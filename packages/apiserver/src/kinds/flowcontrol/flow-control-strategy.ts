// The strategy that flow schemas and priority levels share: a generation that follows the spec, and
// a status subresource that changes the status only.
// Upstream:
// k8s.io/kubernetes/pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go.
import type { Decoded } from "homeostat/api";
import type { FlowSchema, PriorityLevelConfiguration } from "homeostat/k8s/flowcontrol/v1";
import { eachItem, type FieldError } from "../../apimachinery/errors/field-error.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { keepOld, specStatusStrategy } from "../definition/default-strategy.ts";
import { validateWholeObject } from "../validation/validate-object.ts";
import { createUniqueRule, requiredName } from "../validation/field-rules.ts";

type FlowControlObject = Decoded<FlowSchema> | Decoded<PriorityLevelConfiguration>;

/** The strategy of such a kind; `validate` sees the whole object. */
export function flowControlStrategy<T extends FlowControlObject>(
  validate: (object: T) => readonly FieldError[],
): Required<Pick<KindDefinition<T>, "strategy" | "subresources">> {
  return {
    strategy: {
      ...specStatusStrategy,
      ...validateWholeObject({
        namespaced: false,
        metadataChanges: "common",
        validate,
        validateChange: conditionErrors,
      }),
    },
    subresources: {
      status: {
        resetFields: [["f:metadata"], ["f:spec"]],
        prepareForUpdate(object, old) {
          const { managedFields, resourceVersion } = metadataOf(object);
          object.metadata = {
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

function conditionErrors({ status }: FlowControlObject): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(status?.conditions, "status.conditions", (condition, at) => {
    const type = condition.type ?? "";
    const path = `${at}.type`;
    return [...unique(type, path), ...requiredName(type, path)];
  });
}
