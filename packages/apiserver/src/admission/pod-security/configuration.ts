// What PodSecurity can be configured with.
// Upstream: k8s.io/pod-security-admission/admission/api/types.go.
import { type Policy, privilegedPolicy } from "./pod-security-policy.ts";

export interface PodSecurityConfiguration {
  /** The policy of what no label says. */
  readonly defaults: Policy;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

export const defaultConfiguration: PodSecurityConfiguration = {
  defaults: privilegedPolicy,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};
