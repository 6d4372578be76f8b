// Bindings of admission policies: where a policy applies, and with which parameters. Stored and
// validated; this server does not evaluate them.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{validating,mutating}admissionpolicybinding/strategy.go,
// pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import { type Decoded, dnsSubdomainFaults } from "homeostat/api";
import type {
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingSpec,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from "homeostat/k8s/admissionregistration/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { formatSelector } from "../validation/label-selectors.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  mutableOperationErrors,
  setMatchDefaults,
  validateMatchResources,
  validateParamRef,
} from "./admission-rules.ts";
import { policyStrategy } from "./policy-strategy.ts";

const actions = ["Audit", "Deny", "Warn"];

type Binding = Decoded<ValidatingAdmissionPolicyBinding> | Decoded<MutatingAdmissionPolicyBinding>;

export const validatingAdmissionPolicyBinding: KindDefinition<
  Decoded<ValidatingAdmissionPolicyBinding>
> = bindingKind("ValidatingAdmissionPolicyBinding", ({ spec }) =>
  actionErrors(spec?.validationActions ?? []),
);
export const mutatingAdmissionPolicyBinding: KindDefinition<
  Decoded<MutatingAdmissionPolicyBinding>
> = bindingKind("MutatingAdmissionPolicyBinding", ({ spec }) =>
  mutableOperationErrors(spec?.matchResources ?? {}, "spec.matchResources"),
);

function bindingKind<T extends Binding>(
  kind: string,
  validateMore: (object: T) => readonly FieldError[],
): KindDefinition<T> {
  return {
    ...gvk("admissionregistration.k8s.io/v1", kind),
    defaults({ spec }) {
      if (spec?.matchResources) setMatchDefaults(spec.matchResources);
    },
    strategy: policyStrategy((object) => [
      ...validateBinding(object.spec ?? {}),
      ...validateMore(object),
    ]),
    cells: (object, ages) => [
      nameOf(object),
      object.spec?.policyName ?? "",
      formatParamRef(object.spec?.paramRef ?? {}),
      ageOf(object, ages),
    ],
  };
}

/** The part of a spec that both kinds of binding have. */
type BindingSpec = Decoded<MutatingAdmissionPolicyBindingSpec>;

function validateBinding({ policyName, paramRef, matchResources }: BindingSpec): FieldError[] {
  return [
    ...(policyName
      ? dnsSubdomainFaults(policyName).map((fault) =>
          fieldError.invalid("spec.policyName", policyName, fault),
        )
      : [fieldError.required("spec.policyName", "")]),
    ...(paramRef ? validateParamRef(paramRef, "spec.paramRef") : []),
    ...(matchResources ? validateMatchResources(matchResources, "spec.matchResources") : []),
  ];
}

function actionErrors(given: readonly string[]): FieldError[] {
  const path = "spec.validationActions";
  if (!given.length)
    return [fieldError.required(path, "at least one validation action is required")];
  const errors = eachItem(given, path, (action, at, i) => [
    ...errorIf(!actions.includes(action), () => fieldError.notSupported(at, action, actions)),
    ...errorIf(given.indexOf(action) < i, () => fieldError.duplicate(at, action)),
  ]);
  const hasBoth = given.includes("Deny") && given.includes("Warn");
  return hasBoth
    ? [
        ...errors,
        fieldError.invalid(
          path,
          [...given],
          "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
        ),
      ]
    : errors;
}

function formatParamRef({ name, namespace, selector }: Decoded<ParamRef>): string {
  if (name) return `${namespace || "*"}/${name}`;
  return selector ? formatSelector(selector) : "<unset>";
}
