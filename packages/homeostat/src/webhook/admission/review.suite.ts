// A kind, its reviews and short ways to answer them, for tests.
import * as z from "zod";
import { defineResource } from "../../api/resource/define-resource.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import type { HookEffects, HookResponse } from "../exchange.ts";
import { answerReview } from "./answer-review.ts";
import type { AdmissionWebhook } from "./define-webhook.ts";

export const Order = defineResource({
  group: "kitchen.example.com",
  version: "v1",
  kind: "Order",
  spec: z.object({ table: z.int().optional(), note: z.string().optional() }),
  status: z.object({ cooked: z.int() }),
});

export const order = (spec: object = { table: 1 }): Record<string, unknown> => ({
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  metadata: { name: "lunch", namespace: "default" },
  spec,
});

/** Effects that record what is logged. */
export function recordingEffects(): HookEffects & {
  readonly lines: string[];
  readonly runtime: ReturnType<typeof createVirtualRuntime>;
} {
  const lines: string[] = [];
  const say = (message: string): void => void lines.push(message);
  const log = { debug: say, info: say, warn: say, error: say };
  return { lines, log, runtime: createVirtualRuntime() };
}

/** The review of an operation. */
export const reviewOf = (
  operation: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u1",
    kind: { group: "kitchen.example.com", version: "v1", kind: "Order" },
    resource: { group: "kitchen.example.com", version: "v1", resource: "orders" },
    name: "lunch",
    namespace: "default",
    operation,
    userInfo: { username: "ann" },
    ...(operation === "DELETE" ? { object: null } : { object: order() }),
    ...(operation === "CREATE" || operation === "CONNECT"
      ? { oldObject: null }
      : { oldObject: order({ table: 7 }) }),
    dryRun: false,
    ...fields,
  },
});

export const encode = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

/** The HTTP answer. */
export const answer = async (
  webhook: AdmissionWebhook,
  review: unknown,
  effects: HookEffects = recordingEffects(),
): Promise<HookResponse> =>
  await answerReview(webhook, { contentType: "application/json", body: encode(review) }, effects);

/** The response of the review; its patch decoded. */
export async function respond(
  webhook: AdmissionWebhook,
  review: unknown,
  effects?: HookEffects,
): Promise<Record<string, unknown>> {
  const { status, body } = await answer(webhook, review, effects);
  if (status !== 200) return { failed: status, body };
  const { response } = JSON.parse(body) as { readonly response: Record<string, unknown> };
  if (typeof response["patch"] === "string")
    response["patch"] = JSON.parse(Buffer.from(response["patch"], "base64").toString()) as unknown;
  return response;
}
