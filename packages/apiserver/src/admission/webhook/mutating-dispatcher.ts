// Calls the mutating webhooks that a request matches, one after the other; each sees what those
// before it changed.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go,
// reinvocationcontext.go.
import { cloneJson, equalJson, type JsonObject } from "homeostat/api";
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { PluginServices } from "../admission-plugin.ts";
import {
  convertAnyObject,
  convertedObjects,
  type VersionedObjects,
} from "../matching/versioned-objects.ts";
import { ReviewEncoder } from "./admission-review.ts";
import { callWebhook } from "./call-webhook.ts";
import { patchedObject } from "./patched-object.ts";
import { versionToCall } from "./should-call-webhook.ts";
import { WebhookCallError } from "./webhook-errors.ts";
import type { RegisteredWebhook, WebhookSpec } from "./webhook-source.ts";

/** What is remembered between the two rounds of one request. */
interface ReinvocationState {
  /** The object after the last round. */
  output: JsonObject | undefined;
  /** Webhooks to call again if the object changes after their call. */
  invoked: Set<string>;
  /** Webhooks to call again in the second round. */
  again: Set<string>;
}

const pluginName = "MutatingAdmissionWebhook";

/** Changes the request's object. Throws the refusal of a webhook, or why it cannot be called. */
export async function dispatchMutating(
  webhooks: readonly RegisteredWebhook[],
  request: AdmissionRequest,
  services: PluginServices,
): Promise<void> {
  const state = stateOf(request);
  if (request.reinvocation?.pass === "second" && !isSame(state.output, request.object))
    requireReinvoking(state);
  const run = new MutatingRun(request, services, state);
  try {
    for (const webhook of webhooks) await run.visit(webhook);
    await run.finish();
  } finally {
    state.output = request.object && cloneJson(request.object);
  }
}

const isSame = (a: JsonObject | undefined, b: JsonObject | undefined): boolean =>
  equalJson(a ?? null, b ?? null);

function stateOf({ reinvocation }: AdmissionRequest): ReinvocationState {
  const known = reinvocation?.memory.get(pluginName) as ReinvocationState | undefined;
  const state = known ?? { output: undefined, invoked: new Set(), again: new Set() };
  reinvocation?.memory.set(pluginName, state);
  return state;
}

function requireReinvoking(state: ReinvocationState): void {
  for (const uid of state.invoked) state.again.add(uid);
  state.invoked.clear();
}

/** Gives `object` the members of `next`. */
function replaceObject(object: JsonObject, next: JsonObject): void {
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, next);
}

/** One round over the webhooks. */
class MutatingRun {
  readonly #request: AdmissionRequest;
  readonly #services: PluginServices;
  readonly #state: ReinvocationState;
  readonly #encoder = new ReviewEncoder();
  #versioned: VersionedObjects | undefined;
  /** Whether the versioned object differs from that of the request. */
  #isDirty = false;

  constructor(request: AdmissionRequest, services: PluginServices, state: ReinvocationState) {
    this.#request = request;
    this.#services = services;
    this.#state = state;
  }

  /** Calls the webhook if it matches. */
  async visit(webhook: RegisteredWebhook): Promise<void> {
    const request = this.#versioned
      ? { ...this.#request, object: this.#versioned.object }
      : this.#request;
    const matched = { request, versioned: (to: ServedResource) => this.#inVersion(to) };
    const resource = await versionToCall(webhook, matched, this.#services);
    if (!resource) return;
    const isSecond = this.#request.reinvocation?.pass === "second";
    if (isSecond && !this.#state.again.has(webhook.uid)) return;
    const error = await this.#call(webhook, await this.#inVersion(resource));
    if (webhook.spec.reinvocationPolicy === "IfNeeded") this.#state.invoked.add(webhook.uid);
    settle(error, webhook.spec);
  }

  /** Gives the request the object as the webhooks have left it. */
  async finish(): Promise<void> {
    const { resource, object } = this.#versioned ?? {};
    if (!this.#isDirty || !resource || !object || !this.#request.object) return;
    const own = await convertAnyObject(object, resource, this.#request.resource);
    replaceObject(this.#request.object, own === object ? cloneJson(object) : own);
    this.#isDirty = false;
  }

  /** Returns what the call ended with, undefined if it went well. */
  async #call(webhook: RegisteredWebhook, versioned: VersionedObjects): Promise<unknown> {
    const request = this.#request;
    try {
      const input = { webhook, request, versioned, encoder: this.#encoder };
      const response = await callWebhook({ ...input, type: "mutating" }, this.#services);
      const next = patchedObject(webhook.name, request, versioned, response);
      if (!next) return undefined;
      this.#versioned = { ...versioned, object: next };
      this.#isDirty = true;
      if (isSame(next, versioned.object)) return undefined;
      requireReinvoking(this.#state);
      request.reinvocation?.need();
      return undefined;
    } catch (error) {
      return error;
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
      const message = error instanceof Error ? error.message : String(error);
      throw internalError(internalError(message).message);
    }
  }
}

/** Throws the error, unless it is a failed call that the policy ignores. */
function settle(error: unknown, { failurePolicy }: WebhookSpec): void {
  if (error === undefined) return;
  if (!(error instanceof WebhookCallError)) throw error;
  if (failurePolicy !== "Ignore") throw internalError(error.message);
}
