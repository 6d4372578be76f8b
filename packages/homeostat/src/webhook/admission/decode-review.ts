// Decodes an AdmissionReview, and refuses what is none as controller-runtime does: with a review
// whose status has code 400.
// Upstream: sigs.k8s.io/controller-runtime/pkg/webhook/admission/http.go (ServeHTTP), decode.go.
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { parseExact } from "../../api/parse-exact.ts";
import { JsonSyntaxError, parseJson } from "../../api/parse-json.ts";
import type { HookRequest } from "../exchange.ts";
import type { AdmissionRequest } from "./admission-context.ts";

/** A body that is no review; `code` is the status to answer. */
export class BadReview extends Error {
  readonly code: number;
  constructor(message: string, code = 400) {
    super(message);
    this.code = code;
  }
}

/** As controller-runtime: two objects of 3 MB, and 1 MB for the rest. */
export const reviewLimit = 7 * 1024 * 1024;

const decoder = new TextDecoder();

/** The text of a request. @throws BadReview */
export function readBody({ contentType, body }: HookRequest, limit: number): string {
  if (body === undefined)
    throw new BadReview(`request entity is too large; limit is ${limit} bytes`, 413);
  if (body.length === 0) throw new BadReview("request body is empty");
  if (contentType !== "application/json")
    throw new BadReview(`contentType=${contentType}, expected application/json`);
  return decoder.decode(body);
}

/** @throws BadReview */
export function parseReview(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    throw new BadReview(`couldn't get version/kind; json parse error: ${syntaxFault(text)}`);
  }
}

/** What Go says of it. */
function syntaxFault(text: string): string {
  try {
    parseJson(text);
    return "invalid JSON";
  } catch (error) {
    return error instanceof JsonSyntaxError ? error.message : String(error);
  }
}

const operations: readonly unknown[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** The request of a review of admission.k8s.io/v1. @throws BadReview */
export function decodeReview(review: Json): AdmissionRequest {
  const { apiVersion, kind, request } = isObject(review) ? review : ({} as JsonObject);
  if (kind !== "AdmissionReview" || apiVersion !== "admission.k8s.io/v1")
    throw new BadReview(
      `expected an AdmissionReview of admission.k8s.io/v1, got ${nameOf(kind)} of ${nameOf(apiVersion)}: this webhook accepts admissionReviewVersions ["v1"] only`,
    );
  if (!isObject(request)) throw new BadReview("the review has no request");
  if (typeof request["uid"] !== "string" || request["uid"] === "")
    throw new BadReview("the review's request has no uid");
  if (!operations.includes(request["operation"]))
    throw new BadReview(`unknown operation ${JSON.stringify(request["operation"] ?? "")}`);
  return request as unknown as AdmissionRequest;
}

const nameOf = (value: Json | undefined): string =>
  typeof value === "string" && value !== "" ? value : "nothing";
