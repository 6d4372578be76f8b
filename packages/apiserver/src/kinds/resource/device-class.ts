// DeviceClasses: named selectors and configuration that requests refer to.
// Upstream: k8s.io/kubernetes/pkg/registry/resource/deviceclass/strategy.go,
// pkg/apis/resource/validation/validation.go.
import { type Decoded, equalJson } from "homeostat/api";
import type { DeviceClass, DeviceClassSpec } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isExtendedResource } from "../core/resources/resource-names.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nameIsLongName } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { generationStrategy } from "../definition/default-strategy.ts";
import { validateWholeObject } from "../validation/validate-object.ts";
import { validateList } from "./bounded-lists.ts";
import { type Age, validateConfiguration } from "./device-configuration.ts";
import { selectorErrors } from "./device-selectors.ts";

const maxConfigurations = 32;

export const deviceClass: KindDefinition<Decoded<DeviceClass>> = {
  ...gvk("resource.k8s.io/v1", "DeviceClass"),
  returnsDeletedObject: true,
  strategy: {
    ...generationStrategy("spec"),
    ...validateWholeObject({
      namespaced: false,
      validateName: nameIsLongName,
      validate: (object, old) => validateSpec(object.spec ?? {}, old && (old.spec ?? {})),
    }),
  },
  cells: (object, ages) => [nameOf(object), ageOf(object, ages)],
};

/** Selectors and configuration that did not change keep the limits under which they were stored. */
function validateSpec(
  spec: Decoded<DeviceClassSpec>,
  old: Decoded<DeviceClassSpec> | undefined,
): readonly FieldError[] {
  const ageOfField = (field: "selectors" | "config"): Age =>
    old && equalJson(spec[field] ?? [], old[field] ?? []) ? "stored" : "new";
  const resource = spec.extendedResourceName;
  return [
    ...selectorErrors(spec.selectors ?? [], "spec.selectors", ageOfField("selectors")),
    ...validateList(
      spec.config ?? [],
      maxConfigurations,
      (config, path) => validateConfiguration(config, path, ageOfField("config")),
      "spec.config",
    ),
    ...errorIf(isSet(resource) && !isExtendedResource(resource), () =>
      fieldError.invalid(
        "spec.extendedResourceName",
        resource,
        "must be a valid extended resource name",
      ),
    ),
  ];
}
