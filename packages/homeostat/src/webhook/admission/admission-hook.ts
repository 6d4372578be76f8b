// An admission webhook as a path of the server.
import type { Hook } from "../exchange.ts";
import { answerReview } from "./answer-review.ts";
import { reviewLimit } from "./decode-review.ts";
import type { AdmissionWebhook } from "./define-webhook.ts";

/** The path of a webhook. */
export const admissionHook = (webhook: AdmissionWebhook): Hook => ({
  path: webhook.path,
  bodyLimit: reviewLimit,
  answer: (request, effects) => answerReview(webhook, request, effects),
});
