// Decides if a webhook is called for a request, and with which version of its objects.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go (ShouldCallHook).
import { forbiddenError } from "../../apimachinery/errors/api-errors.ts";
import { loadLate } from "../../apimachinery/load-late.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { PluginServices } from "../admission-plugin.ts";
import { createAccessCheck } from "../cel/access-checks.ts";
import type { ConditionMatcher } from "../cel/match-conditions.ts";
import { kindOf } from "../matching/equivalent-resources.ts";
import { matchWebhook } from "../matching/match-request.ts";
import type { VersionedObjects } from "../matching/versioned-objects.ts";
import type { RegisteredWebhook } from "./webhook-source.ts";

/** A request as webhooks match it. */
export interface MatchedRequest {
  /** With the objects as the webhooks before have left them. */
  readonly request: AdmissionRequest;
  /** The objects in one version, for match conditions. */
  versioned(resource: ServedResource): Promise<VersionedObjects>;
}

/** The version to call the webhook with; undefined if it is not called. Throws ApiStatusErrors. */
export async function versionToCall(
  webhook: RegisteredWebhook,
  { request, versioned }: MatchedRequest,
  services: PluginServices,
): Promise<ServedResource | undefined> {
  const resource = matchWebhook(webhook.criteria, request, services);
  if (!resource || !webhook.spec.matchConditions?.length) return resource;
  const { object, old } = await versioned(resource);
  const matched = conditionsOf(webhook)({
    versioned: { request, kind: kindOf(resource, request.subresource), resource, object, old },
    params: undefined,
    access: createAccessCheck(services.authorizer, request.user),
  });
  if ("error" in matched) throw forbiddenError(request.resource, request.name, matched.error);
  return matched.matches ? resource : undefined;
}

/** The engine of expressions loads when a webhook first has conditions. */
function conditionsOf(webhook: RegisteredWebhook): ConditionMatcher {
  const { matchConditions, failurePolicy } = webhook.spec;
  return (webhook.conditions ??= (
    loadLate(
      import.meta.url,
      "../cel/match-conditions",
    ) as typeof import("../cel/match-conditions.ts")
  ).createWebhookConditions(matchConditions ?? [], failurePolicy ?? "Fail"));
}
