// Answers an AdmissionReview with a webhook: decodes, calls the user's function, encodes.
// Upstream: sigs.k8s.io/controller-runtime/pkg/webhook/admission/{http,webhook,defaulter_custom,
// validator_custom}.go. Unlike there, an error that is no denial is a failure of the webhook (500),
// so that its failurePolicy decides; controller-runtime denies the write.
import { formatApiVersion, parseApiVersion } from "../../api/gvk.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import { describeError, describeValue } from "../../util/describe-error.ts";
import { locateError } from "../../util/error-location.ts";
import {
  failure,
  type HookEffects,
  type HookRequest,
  type HookResponse,
  jsonResponse,
} from "../exchange.ts";
import { diffJson, draftOf } from "../json-patch/diff-json.ts";
import { type Ran, runReviewer } from "../run-reviewer.ts";
import { type AdmissionRequest, ReviewContext } from "./admission-context.ts";
import { BadReview, decodeReview, parseReview, readBody, reviewLimit } from "./decode-review.ts";
import type { AdmissionWebhook } from "./define-webhook.ts";
import { type Denial, isDenial } from "./denial.ts";
import { allowed, denied, encodeReview, errored } from "./encode-review.ts";

/** Answers one request. Never throws and never rejects. */
export function answerReview(
  webhook: AdmissionWebhook,
  exchange: HookRequest,
  effects: HookEffects,
): Promise<HookResponse> | HookResponse {
  let uid = "";
  try {
    const request = decodeReview(parseReview(readBody(exchange, reviewLimit)));
    uid = request.uid;
    return review(webhook, request, { ...effects, timeoutMs: exchange.timeoutMs });
  } catch (error) {
    if (error instanceof BadReview) {
      effects.log.error(`refused a request to ${webhook.path}: ${error.message}`, {
        webhook: webhook.name,
      });
      return jsonResponse(encodeReview(errored(uid, error.code, error.message)));
    }
    return failed(webhook, error, effects);
  }
}

interface ReviewOptions extends HookEffects {
  readonly timeoutMs: number | undefined;
}

function review(
  webhook: AdmissionWebhook,
  request: AdmissionRequest,
  effects: ReviewOptions,
): Promise<HookResponse> | HookResponse {
  const reviewer = webhook.reviewers.get(request.operation);
  // As controller-runtime: what a webhook has no function for, it allows.
  if (!reviewer) return jsonResponse(encodeReview(allowed(request.uid)));
  const context = new ReviewContext(request);
  const objects = objectsOf(webhook, request);
  const given = Object.assign(context, objects) as unknown as Parameters<typeof reviewer>[0];
  const { timeoutSeconds = 10 } = webhook.options;
  const ran = runReviewer(() => reviewer(given), {
    ...effects,
    timeoutMs: Math.min(effects.timeoutMs ?? Infinity, timeoutSeconds * 1000),
    abort: () => context.abort(),
  });
  const conclude = (end: Ran) => concluded({ webhook, context, effects, objects }, end);
  return ran instanceof Promise ? ran.then(conclude) : conclude(ran);
}

interface Review {
  readonly webhook: AdmissionWebhook;
  readonly context: ReviewContext;
  readonly effects: HookEffects;
  readonly objects: { readonly object: unknown };
}

function concluded({ webhook, context, effects, objects }: Review, ran: Ran): HookResponse {
  if (ran.ended === "late")
    return failed(webhook, `no answer within ${ran.ms} ms`, effects, context.request);
  const result = ran.ended === "threw" ? ran.error : ran.value;
  if (isDenial(result)) return jsonResponse(encodeReview(denialOf(result, context)));
  if (ran.ended === "threw") return failed(webhook, ran.error, effects, context.request);
  try {
    if (webhook.type === "mutating") return patched(context, ran.value ?? objects.object);
    if (ran.value === undefined)
      return jsonResponse(encodeReview(allowed(context.request.uid, context)));
    throw new TypeError(
      `the function returned ${describeValue(ran.value)}, expected nothing or deny(…)`,
    );
  } catch (error) {
    return failed(webhook, error, effects, context.request);
  }
}

function patched(context: ReviewContext, result: unknown): HookResponse {
  const { uid, object } = context.request;
  if (typeof result !== "object")
    throw new TypeError(`mutate returned ${describeValue(result)}, expected an object or nothing`);
  const patch = diffJson(object as Json, result);
  return jsonResponse(encodeReview(allowed(uid, context, patch)));
}

/** The objects that a function is given, as the operation has them. */
function objectsOf(
  { type, kind }: AdmissionWebhook,
  { operation, object, oldObject, subResource }: AdmissionRequest,
): { readonly object: unknown; readonly old?: unknown } {
  if (operation === "CONNECT") return { object: present(object) };
  // Subresources such as pods/eviction have kinds of their own.
  const decode = subResource ? present : (value: unknown) => typed(value, kind);
  if (operation === "DELETE") return { object: decode(oldObject) };
  const given = decode(object);
  const current = type === "mutating" ? draftOf(given) : given;
  return operation === "UPDATE" ? { object: current, old: decode(oldObject) } : { object: current };
}

function present(object: unknown): JsonObject {
  if (isObject(object as Json)) return object as JsonObject;
  throw new BadReview("there is no content to decode");
}

/** @throws BadReview for an object of another kind, unless the webhook's kind is a wildcard */
function typed(given: unknown, kind: Kind): JsonObject {
  const object = present(given);
  if (object["apiVersion"] === kind.apiVersion && object["kind"] === kind.kind) return object;
  if (kind.resource === "*" || kind.kind === "*") return object;
  throw new BadReview(
    `unable to decode ${formatKind(object["apiVersion"], object["kind"])} into ${formatKind(kind.apiVersion, kind.kind)}`,
  );
}

function formatKind(apiVersion: Json | undefined, kind: Json | undefined): string {
  const gv = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  return `${gv ? formatApiVersion(gv) : ""}, Kind=${typeof kind === "string" ? kind : ""}`;
}

function denialOf(denial: Denial, context: ReviewContext) {
  const { uid, kind, name = "" } = context.request;
  if (!denial.namesObject) return denied(uid, context, denial);
  const type = [kind?.kind, kind?.group].filter(Boolean).join(".");
  const message = `${type} ${JSON.stringify(name)} is invalid: ${denial.message}`;
  const { group = "", kind: kindName = "" } = kind ?? {};
  return denied(uid, context, {
    ...denialFields(denial),
    message,
    details: { name, group, kind: kindName },
  });
}

const denialFields = ({ reason, code, causes }: Denial) => ({ reason, code, causes });

function failed(
  { name, path }: AdmissionWebhook,
  error: unknown,
  { log }: HookEffects,
  request?: AdmissionRequest,
): HookResponse {
  const message = `webhook ${name}: ${describeError(error)}`;
  const { operation, namespace, name: object, userInfo } = request ?? {};
  const at = locateError(error, { cwd: process.cwd() });
  log.error(message, {
    ...(at === undefined ? {} : { at }),
    path,
    ...(request ? { operation, object: [namespace, object].filter(Boolean).join("/") } : {}),
    ...(userInfo?.username === undefined ? {} : { user: userInfo.username }),
    ...(error instanceof Error ? { error } : {}),
  });
  return failure(message);
}
