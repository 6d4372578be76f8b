// PodTemplates.
// Upstream: k8s.io/kubernetes/pkg/registry/core/podtemplate/strategy.go, pkg/apis/core/validation
// (ValidatePodTemplate).
import type { Decoded, Json } from "homeostat/api";
import type { PodTemplate } from "homeostat/k8s/core/v1";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { formatLabels } from "../validation/label-selectors.ts";
import { nameOf } from "../printers/cells.ts";
import { podTemplateWarnings } from "./pod/warnings/pod-warnings.ts";
import { generationChanged } from "./workload/workload-warnings.ts";
import { containerCells } from "./workload/workload.ts";
import { generationStrategy } from "../definition/default-strategy.ts";
import { validateWholeObject } from "../validation/validate-object.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "./pod/pod-template-spec.ts";

export const podTemplate: KindDefinition<Decoded<PodTemplate>> = {
  ...gvk("v1", "PodTemplate"),
  returnsDeletedObject: true,
  defaults: (object) => setPodTemplateDefaults(object.template),
  strategy: {
    ...generationStrategy("template"),
    ...validateWholeObject({
      validate: ({ template }, old) =>
        validatePodTemplate(template ?? {}, "template", old && (old.template ?? {})),
    }),
    warningsOnCreate: ({ template }) => podTemplateWarnings(template ?? {}, "template"),
    warningsOnUpdate: (object, old) =>
      generationChanged(object, old) ? podTemplateWarnings(object.template ?? {}, "template") : [],
  },
  cells,
};

function cells(object: Decoded<PodTemplate>): readonly Json[] {
  const template = object.template ?? {};
  return [
    nameOf(object),
    ...containerCells(template),
    formatLabels(template.metadata?.labels ?? {}),
  ];
}
