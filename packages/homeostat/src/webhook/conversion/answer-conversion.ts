// Answers a ConversionReview: all of its objects converted, in order, or why which of them are not.
// Upstream: sigs.k8s.io/controller-runtime/pkg/webhook/conversion/conversion.go,
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go (ConversionResponse).
import { encodeJson } from "../../api/encode-json.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { parseExact } from "../../api/parse-exact.ts";
import { describeError } from "../../util/describe-error.ts";
import { locateError } from "../../util/error-location.ts";
import {
  conversionPath,
  type Hook,
  type HookEffects,
  type HookRequest,
  type HookResponse,
  jsonResponse,
} from "../exchange.ts";
import { convertObject, createStepFinder, type FindSteps } from "./convert-object.ts";
import type { Conversion } from "./define-conversion.ts";
import { RepeatedFailures } from "./repeated-failures.ts";

/** One review may hold a whole list; controller-runtime has no limit. */
const conversionLimit = 256 * 1024 * 1024;

/** Failures that one answer names. */
const mostNamed = 5;

/** The path that converts all kinds, as kubebuilder's. */
export function conversionHook(conversions: readonly Conversion[]): Hook {
  const findSteps = createStepFinder(conversions);
  const repeated = new RepeatedFailures();
  return {
    path: conversionPath,
    bodyLimit: conversionLimit,
    answer: (request, effects) => answerConversion(request, findSteps, { ...effects, repeated }),
  };
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Json[];
}

/** Answers one request. Never throws. */
export function answerConversion(
  { body }: HookRequest,
  findSteps: FindSteps,
  { repeated, ...effects }: HookEffects & { readonly repeated: RepeatedFailures },
): HookResponse {
  const request = decode(body);
  if (typeof request === "string") {
    effects.log.error(`refused a request to /convert: ${request}`);
    return { status: 400, contentType: "text/plain; charset=utf-8", body: request };
  }
  const failures: string[] = [];
  let at: string | undefined;
  const converted = request.objects.map((object) => {
    try {
      return convertObject(asObject(object), request.desiredAPIVersion, findSteps);
    } catch (error) {
      at ??= locateError(error, { cwd: process.cwd() });
      failures.push(`${describe(object, request)}: ${describeError(error)}`);
      return null;
    }
  });
  const result =
    failures.length === 0 ? { status: "Success" } : { status: "Failure", message: join(failures) };
  if (failures.length > 0) repeated.failed(join(failures), at === undefined ? {} : { at }, effects);
  const response: JsonObject = {
    uid: request.uid,
    convertedObjects: failures.length === 0 ? converted : [],
    result: { metadata: {}, ...result },
  };
  return jsonResponse(
    `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":${encodeJson(response)}}`,
  );
}

/** The request, or why there is none. */
function decode(body: Uint8Array | undefined): ConversionRequest | string {
  if (body === undefined) return `the body is longer than ${conversionLimit} bytes`;
  let review: Json;
  try {
    review = parseExact(new TextDecoder().decode(body));
  } catch (error) {
    return `the body is no JSON: ${describeError(error)}`;
  }
  const { apiVersion, kind, request } = isObject(review) ? review : ({} as JsonObject);
  if (kind !== "ConversionReview" || apiVersion !== "apiextensions.k8s.io/v1")
    return `expected a ConversionReview of apiextensions.k8s.io/v1, got ${String(kind)} of ${String(apiVersion)}`;
  const { uid, desiredAPIVersion, objects } = isObject(request) ? request : ({} as JsonObject);
  return typeof uid === "string" && typeof desiredAPIVersion === "string" && Array.isArray(objects)
    ? { uid, desiredAPIVersion, objects }
    : "the review has no request with uid, desiredAPIVersion and objects";
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new TypeError("it is no object");
}

/** `converting Order kitchen/lunch from … to …`. */
function describe(object: Json, { desiredAPIVersion }: ConversionRequest): string {
  const { apiVersion, kind, metadata } = isObject(object) ? object : ({} as JsonObject);
  const { namespace, name } = isObject(metadata) ? metadata : ({} as JsonObject);
  const key = [namespace, name].filter((part) => typeof part === "string").join("/");
  return `converting ${String(kind)} ${key} from ${String(apiVersion)} to ${desiredAPIVersion}`;
}

function join(failures: readonly string[]): string {
  const more = failures.length - mostNamed;
  const named = failures.slice(0, mostNamed).map((text) => text.replace(/\s*\n\s*/g, " "));
  return more > 0 ? `${named.join("; ")}; and ${more} more` : named.join("; ");
}
