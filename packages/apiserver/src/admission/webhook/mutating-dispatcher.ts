// Calls the mutating webhooks that a request matches, one after the other; each sees what those
// before it changed.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go,
// reinvocationcontext.go.
import { cloneJson, equalJson } from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import { metaList } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { PluginServices } from "../admission-plugin.ts";
import { PluginReinvocation } from "../plugin-reinvocation.ts";
import {
  convertAnyObject,
  convertedObjects,
  replaceObject,
  type VersionedObjects,
} from "../matching/versioned-objects.ts";
import { ReviewEncoder } from "./admission-review.ts";
import { callWebhook } from "./call-webhook.ts";
import { createMutationAnnotator, type MutationAnnotator } from "./mutation-annotator.ts";
import { patchedObject } from "./patched-object.ts";
import { versionToCall } from "./should-call-webhook.ts";
import { WebhookCallError } from "./webhook-errors.ts";
import type { RegisteredWebhook, WebhookSpec } from "./webhook-source.ts";

/** Changes the request's object. Throws the refusal of a webhook, or why it cannot be called. */
export async function dispatchMutating(
  webhooks: readonly RegisteredWebhook[],
  request: AdmissionRequest,
  services: PluginServices,
): Promise<void> {
  const reinvocation = PluginReinvocation.of(request, "MutatingAdmissionWebhook");
  reinvocation.start(request.object);
  const run = new MutatingRun(request, services, reinvocation);
  try {
    for (const [i, webhook] of webhooks.entries()) await run.visit(webhook, i);
    await run.finish();
  } finally {
    reinvocation.finish(request.object);
  }
}

/** One round over the webhooks. */
class MutatingRun {
  readonly #request: AdmissionRequest;
  readonly #services: PluginServices;
  readonly #reinvocation: PluginReinvocation;
  readonly #encoder = new ReviewEncoder();
  #versioned: VersionedObjects | undefined;
  /** Whether the versioned object differs from that of the request. */
  #isDirty = false;

  constructor(
    request: AdmissionRequest,
    services: PluginServices,
    reinvocation: PluginReinvocation,
  ) {
    this.#request = request;
    this.#services = services;
    this.#reinvocation = reinvocation;
  }

  /** Calls the webhook if it matches; `index` is its place among all. */
  async visit(webhook: RegisteredWebhook, index: number): Promise<void> {
    const request = this.#versioned
      ? { ...this.#request, object: this.#versioned.object }
      : this.#request;
    const matched = { request, versioned: (to: ServedResource) => this.#inVersion(to) };
    const resource = await versionToCall(webhook, matched, this.#services);
    if (!resource) return;
    if (!this.#reinvocation.runs(webhook.uid)) return;
    const audit = this.#annotator(webhook, index);
    const error = await this.#call(webhook, await this.#inVersion(resource), audit);
    if (webhook.spec.reinvocationPolicy === "IfNeeded") this.#reinvocation.ran(webhook.uid);
    if (settle(error, webhook.spec) === "failed open") audit?.failedOpen();
  }

  /** Gives the request the object as the webhooks have left it. */
  async finish(): Promise<void> {
    const { resource, object } = this.#versioned ?? {};
    if (!this.#isDirty || !resource || !object || !this.#request.object) return;
    replaceObject(
      this.#request.object,
      await convertAnyObject(object, resource, this.#request.resource),
    );
    this.#isDirty = false;
  }

  #annotator(webhook: RegisteredWebhook, index: number): MutationAnnotator | undefined {
    const { audit, reinvocation } = this.#request;
    if (!audit) return undefined;
    const round = reinvocation?.pass === "second" ? 1 : 0;
    return createMutationAnnotator(audit, webhook, { round, index });
  }

  /** Returns what the call ended with, undefined if it went well. */
  async #call(
    webhook: RegisteredWebhook,
    versioned: VersionedObjects,
    audit: MutationAnnotator | undefined,
  ): Promise<unknown> {
    const request = this.#request;
    let isChanged = false;
    try {
      const input = { webhook, request, versioned, encoder: this.#encoder };
      const response = await callWebhook({ ...input, type: "mutating" }, this.#services);
      const { catalog } = this.#services;
      const target = { webhook: webhook.name, request, catalog };
      const next = patchedObject(target, versioned, response);
      if (!next) return undefined;
      this.#versioned = { ...versioned, object: next };
      this.#isDirty = true;
      isChanged = !equalJson(next, versioned.object ?? null) || isStamped(request);
      if (isChanged) this.#reinvocation.changed();
      audit?.patched(response.patch);
      return undefined;
    } catch (error) {
      return error;
    } finally {
      audit?.called(isChanged);
    }
  }

  /** The objects in another version, through that of the request. */
  async #inVersion(to: ServedResource): Promise<VersionedObjects> {
    if (this.#versioned?.resource === to) return this.#versioned;
    try {
      await this.finish();
      const versioned = await convertedObjects(this.#request, to);
      // The request's own object changes in place, which the encoder would not notice.
      const object = versioned.object && cloneJson(versioned.object);
      return (this.#versioned = { ...versioned, object });
    } catch (error) {
      const message = reasonOf(error);
      throw internalError(internalError(message).message);
    }
  }
}

/**
 * Whether the object has a new time in managedFields. Upstream holds it to the nanosecond, and what
 * a patch returns to the second: to it any patch then changes the object.
 */
const isStamped = ({ resource, object, old }: AdmissionRequest): boolean =>
  resource.codec.goType !== "unstructured" &&
  object !== undefined &&
  !equalJson(
    [...metaList(object, "managedFields")],
    old ? [...metaList(old, "managedFields")] : [],
  );

/** Throws the error, unless it is a failed call that the policy ignores. */
function settle(error: unknown, { failurePolicy }: WebhookSpec): "called" | "failed open" {
  if (error === undefined) return "called";
  if (!(error instanceof WebhookCallError)) throw error;
  if (failurePolicy !== "Ignore") throw internalError(error.message);
  return "failed open";
}
