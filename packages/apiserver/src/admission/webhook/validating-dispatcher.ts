// Calls the validating webhooks that a request matches, all at once. The first that fails decides.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go.
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { PluginServices } from "../admission-plugin.ts";
import { convertedObjects, type VersionedObjects } from "../matching/versioned-objects.ts";
import { ReviewEncoder } from "./admission-review.ts";
import { callWebhook, type WebhookCallInput } from "./call-webhook.ts";
import { versionToCall } from "./should-call-webhook.ts";
import { WebhookCallError } from "./webhook-errors.ts";
import type { RegisteredWebhook } from "./webhook-source.ts";

const failedOpen = "failed-open.validating.webhook.admission.k8s.io/";

/** Rejects with the error of the first webhook that refuses the request or cannot be called. */
export async function dispatchValidating(
  webhooks: readonly RegisteredWebhook[],
  request: AdmissionRequest,
  services: PluginServices,
): Promise<void> {
  const versions = new Map<ServedResource, VersionedObjects>();
  const versioned = async (resource: ServedResource): Promise<VersionedObjects> => {
    const known = versions.get(resource) ?? (await converted(request, resource));
    versions.set(resource, known);
    return known;
  };
  const encoder = new ReviewEncoder();
  const calls: WebhookCallInput[] = [];
  for (const webhook of webhooks) {
    const resource = await versionToCall(webhook, { request, versioned }, services);
    const input = { webhook, type: "validating", request, encoder } as const;
    if (resource) calls.push({ ...input, versioned: await versioned(resource) });
  }
  const errors: unknown[] = [];
  const call = async (input: WebhookCallInput, index: number): Promise<void> => {
    try {
      await callWebhook(input, services);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) errors.push(error);
      else if (input.webhook.spec.failurePolicy !== "Ignore")
        errors.push(internalError(error.message));
      else request.audit?.annotate(`${failedOpen}round_0_index_${index}`, input.webhook.name);
    }
  };
  await Promise.all(calls.map(call));
  if (errors.length) throw errors[0];
}

async function converted(
  request: AdmissionRequest,
  resource: ServedResource,
): Promise<VersionedObjects> {
  try {
    return await convertedObjects(request, resource);
  } catch (error) {
    throw internalError(reasonOf(error));
  }
}
