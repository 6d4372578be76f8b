// How a call of a webhook ends other than well.
// Upstream: k8s.io/apiserver/pkg/util/webhook/error.go,
// pkg/admission/plugin/webhook/errors/statuserror.go.
import { ApiStatusError, type Decoded, type Status } from "homeostat/api";
import { badRequestError, failure } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";

/** A call that failed, which the failure policy may ignore. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";

  constructor(webhook: string, why: string) {
    super(`failed calling webhook ${quoteGo(webhook)}: ${why}`);
  }
}

const leastFailureCode = 400;

/** The refusal of a webhook; `status` is what it answered. */
export function deniedError(webhook: string, status: Decoded<Status> | undefined): ApiStatusError {
  const by = `admission webhook ${quoteGo(webhook)} denied the request`;
  const { message, reason, code, metadata, status: outcome, ...rest } = status ?? {};
  const why = message || reason;
  return new ApiStatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: metadata ?? {},
    ...rest,
    status: !outcome || outcome === "Success" ? "Failure" : outcome,
    message: why ? `${by}: ${why}` : `${by} without explanation`,
    ...(reason ? { reason } : {}),
    code: Math.max(code ?? 0, leastFailureCode),
  } as Status);
}

/** 400 for a dry run that the webhook would not notice. */
export const dryRunUnsupportedError = (webhook: string): ApiStatusError =>
  badRequestError(`admission webhook ${quoteGo(webhook)} does not support dry run`);

/** 504 for a request that has run out of time. */
export const requestTimeoutError = (): ApiStatusError =>
  failure(
    504,
    "Timeout",
    "Timeout: request did not complete within requested timeout - context deadline exceeded",
    {},
  );
