// MutatingAdmissionPolicy and ValidatingAdmissionPolicy: change and refuse requests as the stored
// policies say. Without bound policies a request costs one comparison.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/generic/plugin.go,
// pkg/admission/plugin/policy/{mutating,validating}/plugin.go,
// k8s.io/kubernetes/pkg/kubeapiserver/admission/exclusion/resources.go.
import { loadLate } from "../../apimachinery/load-late.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { CreatePlugin } from "../admission-plugin.ts";
import type { ValidationEvaluator } from "./evaluate-validations.ts";
import type { MutationEvaluator } from "./evaluate-mutations.ts";
import { exemptResources, mutatingResources, validatingResources } from "./policy-kinds.ts";
import { followPolicies } from "./policy-source.ts";

export const createValidatingAdmissionPolicy: CreatePlugin = (services) => {
  const source = followPolicies<ValidationEvaluator>({
    ...services,
    resources: validatingResources,
    compile: (policy) => policyEngine().compileValidatingPolicy(policy),
  });
  return {
    validate(request) {
      const hooks = source.hooks();
      if (hooks.length && !isExempt(request))
        return policyEngine().dispatchValidating(hooks, request, services);
      return undefined;
    },
    close: () => source.stop(),
  };
};

/** A delete has no object to change. */
export const createMutatingAdmissionPolicy: CreatePlugin = (services) => {
  const source = followPolicies<MutationEvaluator>({
    ...services,
    resources: mutatingResources,
    compile: (policy) => policyEngine().compileMutatingPolicy(policy),
  });
  return {
    mutate(request) {
      const hooks = source.hooks();
      if (hooks.length && request.operation !== "DELETE" && !isExempt(request))
        return policyEngine().dispatchMutating(hooks, request, services);
      return undefined;
    },
    close: () => source.stop(),
  };
};

const isExempt = ({ resource }: AdmissionRequest): boolean =>
  exemptResources.has(`${resource.group}/${resource.resource}`);

const policyEngine = (): typeof import("./policy-engine.ts") =>
  loadLate(import.meta.url, "./policy-engine") as typeof import("./policy-engine.ts");
