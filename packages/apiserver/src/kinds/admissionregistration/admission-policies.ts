// Admission policies: stored and validated here, evaluated by admission.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{validating,mutating}admissionpolicy/strategy.go,
// pkg/apis/admissionregistration/v1/defaults.go.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type {
  MutatingAdmissionPolicy,
  ParamKind,
  ValidatingAdmissionPolicy,
} from "homeostat/k8s/admissionregistration/v1";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { statusOnlyStrategy, specStatusStrategy } from "../definition/default-strategy.ts";
import { validateConditions } from "../validation/validate-conditions.ts";
import { setMatchDefaults } from "./admission-rules.ts";
import { policyStrategy } from "./policy-strategy.ts";
import { validateMutatingPolicy, validateValidatingPolicy } from "./validate-admission-policy.ts";

type Policy = Decoded<ValidatingAdmissionPolicy> | Decoded<MutatingAdmissionPolicy>;

export const validatingAdmissionPolicy: KindDefinition<Decoded<ValidatingAdmissionPolicy>> = {
  ...gvk("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
  defaults: setPolicyDefaults,
  strategy: {
    ...policyStrategy("ValidatingAdmissionPolicy", (object, old) =>
      validateValidatingPolicy(object, old?.spec ?? undefined),
    ),
    ...specStatusStrategy,
  },
  subresources: {
    status: {
      ...statusOnlyStrategy,
      validateUpdate: (object) =>
        validateConditions(object.status?.conditions ?? [], "status.conditions"),
    },
  },
  cells: (object, ages) => policyCells(object, object.spec?.validations?.length ?? 0, ages),
};

export const mutatingAdmissionPolicy: KindDefinition<Decoded<MutatingAdmissionPolicy>> = {
  ...gvk("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy"),
  defaults: setPolicyDefaults,
  strategy: policyStrategy("MutatingAdmissionPolicy", (object, old) =>
    validateMutatingPolicy(object.spec ?? {}, old?.spec ?? undefined),
  ),
  cells: (object, ages) => policyCells(object, object.spec?.mutations?.length ?? 0, ages),
};

function setPolicyDefaults({ spec }: Policy): void {
  if (!spec) return;
  spec.failurePolicy ??= "Fail";
  if (spec.matchConstraints) setMatchDefaults(spec.matchConstraints);
}

function policyCells(object: Policy, count: number, ages: CellAges): readonly Json[] {
  const kind = object.spec?.paramKind;
  return [nameOf(object), count, kind ? formatKind(kind) : "<unset>", ageOf(object, ages)];
}

const formatKind = ({ apiVersion, kind }: Decoded<ParamKind>): string =>
  `${apiVersion ?? ""}/${kind ?? ""}`;
