// One call of a webhook: the dry-run check, the review, the request, and the checked answer.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go
// (callAttrMutatingHook, callHook), k8s.io/client-go/rest/request.go (Result.Into).
import { uuid } from "homeostat/runtime";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { type WebhookClientConfig, WebhookError } from "../../webhook-client/webhook-client.ts";
import type { PluginServices } from "../admission-plugin.ts";
import type { VersionedObjects } from "../matching/versioned-objects.ts";
import type { ReviewEncoder, ReviewVersion } from "./admission-review.ts";
import { reviewVersionOf } from "./admission-review.ts";
import {
  type AdmissionResponse,
  decodeReview,
  type DecodedReview,
  verifyReview,
  type WebhookType,
} from "./admission-response.ts";
import {
  deniedError,
  dryRunUnsupportedError,
  requestTimeoutError,
  WebhookCallError,
} from "./webhook-errors.ts";
import type { RegisteredWebhook } from "./webhook-source.ts";

/** What one call is about. */
export interface WebhookCallInput {
  readonly webhook: RegisteredWebhook;
  readonly type: WebhookType;
  readonly request: AdmissionRequest;
  readonly versioned: VersionedObjects;
  readonly encoder: ReviewEncoder;
}

const harmless = new Set<unknown>(["None", "NoneOnDryRun"]);

/**
 * Calls the webhook. Throws a {@link WebhookCallError} if that fails, and an ApiStatusError if the
 * webhook denies the request or cannot be asked on a dry run.
 */
export async function callWebhook(
  input: WebhookCallInput,
  services: PluginServices,
): Promise<AdmissionResponse> {
  const { webhook, type, request } = input;
  const { name, spec } = webhook;
  if (request.dryRun && !harmless.has(spec.sideEffects)) throw dryRunUnsupportedError(name);
  const version = reviewVersionOf(spec.admissionReviewVersions);
  if (!version)
    throw new WebhookCallError(
      name,
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    );
  if (isOver(request, services)) throw requestTimeoutError();
  const uid = uuid(services.runtime.entropy);
  const review = await post(input, version, uid, services);
  const response = verify(name, () => verifyReview(review, { version, uid, type }));
  for (const text of response.warnings) request.warn(text);
  if (request.audit)
    for (const [key, value] of response.auditAnnotations)
      request.audit.annotate(`${name}/${key}`, value);
  if (!response.allowed) throw deniedError(name, response.status);
  return response;
}

async function post(
  { webhook, type, request, versioned, encoder }: WebhookCallInput,
  version: ReviewVersion,
  uid: string,
  services: PluginServices,
): Promise<DecodedReview> {
  const { clientConfig, timeoutSeconds } = webhook.spec;
  const { clock } = services.runtime;
  const began = request.audit && clock.monotonic();
  try {
    const body = await services.webhookClient.post({
      config: clientConfig as WebhookClientConfig,
      body: encoder.encode(version, uid, request, versioned),
      timeoutMs: timeoutOf(request, timeoutSeconds ?? defaultTimeoutSeconds, services),
      // A timer may be a moment early.
      waitMs: leftMs(request, services) + 1,
    });
    return await decodeReview(body, version);
  } catch (error) {
    if (isOver(request, services)) throw requestTimeoutError();
    const isClient = error instanceof WebhookError && error.at === "client";
    const what = isClient ? "could not get REST client" : "failed to call webhook";
    throw new WebhookCallError(webhook.name, `${what}: ${messageOf(error)}`);
  } finally {
    if (began !== undefined)
      request.audit?.addLatency(`${type}-webhook`, clock.monotonic() - began);
  }
}

const defaultTimeoutSeconds = 10;

const leftMs = ({ deadlineMs }: AdmissionRequest, { runtime }: PluginServices): number =>
  deadlineMs === undefined ? Number.POSITIVE_INFINITY : deadlineMs - runtime.clock.now();

const isOver = (request: AdmissionRequest, services: PluginServices): boolean =>
  leftMs(request, services) <= 0;

/** In whole seconds, as the webhook is told: its own, or what the request has left. */
const timeoutOf = (request: AdmissionRequest, seconds: number, services: PluginServices): number =>
  Math.min(seconds, Math.ceil(leftMs(request, services) / 1000)) * 1000;

function verify(name: string, check: () => AdmissionResponse): AdmissionResponse {
  try {
    return check();
  } catch (error) {
    throw new WebhookCallError(name, `received invalid webhook response: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : quoteGo(String(error));
