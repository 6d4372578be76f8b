// Reads the object in the body of a create or an update: media type, stated kind, decoding, and the
// unknown and duplicate fields that fieldValidation is about.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go, rest.go (transformDecodeError).
import {
  type ApiStatusError,
  formatApiVersion,
  formatOverflow,
  type GroupVersionKind,
  isApiStatusError,
  type Json,
  type JsonObject,
} from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import type { DecodeResult, VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import { encodeObjectText } from "../revisions/stored-json.ts";
import { assertKind, cannotBe, fillClaim } from "./claimed-kind.ts";
import { BodyError, parseBody, type ParsedBody } from "./parse-body.ts";
import { bodyOf, readContentType } from "./request-body.ts";

/** What becomes of strict errors. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Reads the body of `scope` as `expected`. Throws 400 and 415. */
export async function readObject(
  scope: RequestScope,
  expected: GroupVersionKind,
  codec: VersionCodec,
  fieldValidation: FieldValidation,
): Promise<JsonObject> {
  const { body, actual } = await readBody(scope, expected, codec);
  // An unstructured object keeps every member; a typed decoder reads those that it knows.
  if (codec.goType === "unstructured" && body.overflow !== undefined)
    throw cannotBe(actual, expected, formatOverflow(body.overflow));
  if (codec.typeMeta === "required")
    assertStatedType(scope, { body, actual, fieldValidation }, expected);
  else if (!isAccepted(codec, actual, expected)) assertKind(scope.core, actual, expected);
  const { object, strictErrors, emptied } = decode(codec, body, expected, actual);
  scope.request.emptied = emptied;
  if (body.overflow !== undefined && holdsInfinity(object))
    throw cannotBe(actual, expected, formatOverflow(body.overflow));
  report(scope, [...body.strictErrors, ...strictErrors], fieldValidation, expected);
  scope.request.audit?.takeRequestObject(object, codec.encode ?? encodeObjectText);
  return object;
}

const isAccepted = (
  { accepts }: VersionCodec,
  actual: GroupVersionKind,
  expected: GroupVersionKind,
): boolean => actual.kind === expected.kind && accepts?.includes(formatApiVersion(actual)) === true;

/** A typed decoder does not look into members of any shape, such as defaults in a schema. */
function holdsInfinity(value: Json): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).some((child) => holdsInfinity(child as Json))
  );
}

/** The body, and the kind that it states; where it states none, the expected one. */
async function readBody(
  scope: RequestScope,
  expected: GroupVersionKind,
  codec: VersionCodec,
): Promise<{ readonly body: ParsedBody; readonly actual: GroupVersionKind }> {
  const mediaType = readContentType(scope.request.api.headers["content-type"] ?? "");
  try {
    const body =
      mediaType === "application/vnd.kubernetes.protobuf"
        ? readProtobuf(scope, expected, codec)
        : await parseBody(bodyOf(scope.request), mediaType);
    return { body, actual: fillClaim(body, expected) };
  } catch (error) {
    throw error instanceof BodyError ? unrecognized(scope, expected, error.message) : error;
  }
}

function readProtobuf(
  scope: RequestScope,
  expected: GroupVersionKind,
  codec: VersionCodec,
): ParsedBody {
  const { protobuf } = scope.core;
  if (!protobuf || !codec.protobuf)
    throw badRequestError("protobuf bodies are not accepted here: send application/json");
  try {
    const { apiVersion, kind, object } = protobuf.decode(bodyOf(scope.request), expected);
    return {
      value: object,
      apiVersion,
      kind,
      duplicates: [],
      floatLiterals: new Map(),
      strictErrors: [],
    };
  } catch (error) {
    throw isApiStatusError(error) ? error : unrecognized(scope, expected, reasonOf(error));
  }
}

interface StatedBody {
  readonly body: ParsedBody;
  readonly actual: GroupVersionKind;
  readonly fieldValidation: FieldValidation;
}

/** The kind must be stated, and validation checks it; the version must be the endpoint's. */
function assertStatedType(
  scope: RequestScope,
  { body, actual, fieldValidation }: StatedBody,
  expected: GroupVersionKind,
): void {
  if (!body.kind) {
    const why = `Object 'Kind' is missing in '${Buffer.from(scope.request.api.body).toString("utf8")}'`;
    // Upstream's lenient decoder takes the endpoint's kind for that of the body.
    throw fieldValidation === "Ignore"
      ? cannotBe(actual, expected, why)
      : unrecognized(scope, expected, why);
  }
  if (!body.apiVersion || actual.group !== expected.group || actual.version !== expected.version) {
    throw badRequestError(
      `the API version in the data (${body.apiVersion}) does not match the expected API version (${formatApiVersion(expected)})`,
    );
  }
}

function decode(
  codec: VersionCodec,
  body: ParsedBody,
  expected: GroupVersionKind,
  actual: GroupVersionKind,
): DecodeResult {
  body.value.kind = actual.kind;
  body.value.apiVersion = formatApiVersion(actual);
  try {
    return codec.decode(body);
  } catch (error) {
    throw isApiStatusError(error) && error.cause instanceof Error
      ? cannotBe(actual, expected, error.cause.message)
      : error;
  }
}

/** Strict refuses, Warn warns, Ignore drops. */
function report(
  scope: RequestScope,
  strictErrors: readonly string[],
  fieldValidation: FieldValidation,
  expected: GroupVersionKind,
): void {
  if (!strictErrors.length || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict")
    throw cannotBe(expected, expected, formatStrictErrors(strictErrors));
  for (const text of strictErrors) scope.request.warnings.add(text);
}

/** `strict decoding error: unknown field "a", duplicate field "b"`. */
export function formatStrictErrors(strictErrors: readonly string[]): string {
  const texts = strictErrors.map((text) =>
    /^line \d+: key /.test(text) ? `yaml: unmarshal errors:\n  ${text}` : text,
  );
  return `strict decoding error: ${texts.join(", ")}`;
}

function unrecognized(
  scope: RequestScope,
  expected: GroupVersionKind,
  why: string,
): ApiStatusError {
  return badRequestError(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summarizeBody(scope.request.api.body)})`,
  );
}

const summaryBytes = 30;

/**
 * The beginning of a body as error messages show it: text if it looks like JSON, else hexadecimal.
 * Upstream: handlers/rest.go (summarizeData).
 */
function summarizeBody(body: Uint8Array): string {
  if (!body.length) return "<empty>";
  const encoding = body[0] === 0x7b ? "utf8" : "hex";
  const shown = Buffer.from(body.subarray(0, summaryBytes)).toString(encoding);
  return body.length > summaryBytes ? `${shown} ...` : shown;
}
