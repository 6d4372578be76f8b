// Which bound policies a request is for.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_matcher.go.
import { isApiStatusError } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { type MatchServices, matchPolicy } from "../matching/match-request.ts";
import type { BoundPolicy, PolicyHook } from "./policy-source.ts";

/** The version that matches; undefined if none does; or why matching failed. */
export type PolicyMatch = ServedResource | undefined | { readonly fault: string };

/** Whether matching failed. */
export const isMatchFault = (match: PolicyMatch): match is { readonly fault: string } =>
  match !== undefined && "fault" in match;

/** The version of the resource that the policy is about. */
export const matchDefinition = (
  { spec, selectors }: PolicyHook<unknown>,
  request: AdmissionRequest,
  services: MatchServices,
): PolicyMatch =>
  spec.matchConstraints
    ? attempt(() => matchPolicy({ match: spec.matchConstraints!, ...selectors }, request, services))
    : { fault: "policy contained no match constraints, a required field" };

/** The binding may narrow what the policy matches. */
export const matchBinding = (
  { spec, selectors }: BoundPolicy,
  request: AdmissionRequest,
  services: MatchServices,
): PolicyMatch =>
  spec.matchResources
    ? attempt(() => matchPolicy({ match: spec.matchResources!, ...selectors }, request, services))
    : request.resource;

function attempt(match: () => ServedResource | undefined): PolicyMatch {
  try {
    return match();
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    return { fault: error.message };
  }
}
