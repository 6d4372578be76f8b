// Admission policies: stored and validated here, evaluated by admission.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{validating,mutating}admissionpolicy/strategy.go,
// pkg/apis/admissionregistration/v1/defaults.go.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type {
  ExpressionWarning,
  MutatingAdmissionPolicy,
  ParamKind,
  ValidatingAdmissionPolicy,
} from "homeostat/k8s/admissionregistration/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { JsonPathSyntaxError, parseJsonPath } from "../../json-path/parse-json-path.ts";
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
    ...policyStrategy((object, old) => validateValidatingPolicy(object, old?.spec ?? undefined)),
    ...specStatusStrategy,
  },
  subresources: {
    status: {
      ...statusOnlyStrategy,
      validateUpdate: ({ status }) => [
        ...eachItem(
          status?.typeChecking?.expressionWarnings,
          "status.typeChecking.expressionWarnings",
          expressionWarningErrors,
        ),
        ...validateConditions(status?.conditions ?? [], "status.conditions"),
      ],
    },
  },
  cells: (object, ages) => policyCells(object, object.spec?.validations?.length ?? 0, ages),
};

export const mutatingAdmissionPolicy: KindDefinition<Decoded<MutatingAdmissionPolicy>> = {
  ...gvk("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy"),
  defaults: setPolicyDefaults,
  strategy: policyStrategy((object, old) =>
    validateMutatingPolicy(object.spec ?? {}, old?.spec ?? undefined),
  ),
  cells: (object, ages) => policyCells(object, object.spec?.mutations?.length ?? 0, ages),
};

function expressionWarningErrors(
  { warning, fieldRef = "" }: Decoded<ExpressionWarning>,
  path: string,
): FieldError[] {
  return [
    ...errorIf(!warning, () => fieldError.required(`${path}.warning`, "")),
    ...fieldReferenceErrors((fieldRef ?? "").trim(), `${path}.fieldRef`),
  ];
}

function fieldReferenceErrors(reference: string, path: string): FieldError[] {
  if (!reference) return [fieldError.required(path, "")];
  try {
    parseJsonPath(`{${reference}}`);
    return [];
  } catch (error) {
    if (!(error instanceof JsonPathSyntaxError)) throw error;
    return [fieldError.invalid(path, reference, `invalid JSONPath: ${error.message}`)];
  }
}

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
