// ConversionReviews in both versions: what is sent, and how an answer is decoded and checked.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go,
// k8s.io/apimachinery/pkg/runtime/serializer/json/json.go (Decode).
import {
  isObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  parseApiVersion,
  parseExact,
  parseJson,
} from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";

export type ReviewVersion = "v1" | "v1beta1";

/** What a review asks for. */
export interface ReviewRequest {
  readonly uid: string;
  /** The version wanted. */
  readonly apiVersion: string;
  readonly objects: readonly JsonObject[];
}

const group = "apiextensions.k8s.io";

/** The review to send; upstream sends an empty response with it. */
export function reviewOf(
  version: ReviewVersion,
  { uid, apiVersion, objects }: ReviewRequest,
): JsonObject {
  return {
    kind: "ConversionReview",
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: [...objects] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** The converted objects of an answer. Throws an error with upstream's message. */
export function convertedObjects(
  version: ReviewVersion,
  answer: Uint8Array,
  uid: string,
): readonly Json[] {
  const review = decode(Buffer.from(answer).toString("utf8"), version);
  const wanted = `${group}/${version}, Kind=ConversionReview`;
  if (version === "v1" && statedKind(review) !== wanted)
    throw plainError(`expected webhook response of ${wanted}, got ${statedKind(review)}`);
  const { response } = review;
  if (!isObject(response)) throw plainError("no response provided");
  const given = typeof response.uid === "string" ? response.uid : "";
  if (version === "v1" && given !== uid)
    throw plainError(`expected response.uid=${quoteGo(uid)}, got ${quoteGo(given)}`);
  const result = isObject(response.result) ? response.result : {};
  const { status = "", message } = result;
  if (status !== "Success")
    throw plainError(
      typeof message === "string" && message
        ? message
        : `response.result.status was '${String(status)}', not 'Success'`,
    );
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

/** `g/v1, Kind=K` as stated, `/, Kind=` when nothing is. */
function statedKind({ apiVersion, kind }: JsonObject): string {
  const gv = typeof apiVersion === "string" && apiVersion ? parseApiVersion(apiVersion) : undefined;
  return `${gv?.group ?? ""}/${gv?.version ?? ""}, Kind=${typeof kind === "string" ? kind : ""}`;
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function decode(text: string, version: ReviewVersion): JsonObject {
  // Go decodes null into nothing.
  const value = parse(text) ?? {};
  if (!isObject(value))
    throw plainError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type ${typeMeta}`,
    );
  assertKind(value, version);
  assertShape(value, "ConversionReview", "", reviewShape(version));
  return value;
}

/** YAML that is one plain scalar, such as a page of HTML: no indicator, no key and no comment. */
const startsPlain = /^[^\s[\]{}&*!|>'"%@`,#?:-]/;
const isStructured = /: |:$| #/m;

/** Text that is no JSON document is read as YAML, of which only plain text is told apart. */
function parse(text: string): Json {
  try {
    parseJson(text);
    return parseExact(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const trimmed = text.trim();
    if (startsPlain.test(trimmed) && !isStructured.test(trimmed)) return trimmed;
    throw plainError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/** What is left out is taken from the kind that is expected. */
function assertKind({ apiVersion = "", kind = "" }: JsonObject, version: ReviewVersion): void {
  const stated = typeof apiVersion === "string" ? apiVersion : "";
  const gv = stated ? parseApiVersion(stated) : { group, version };
  if (!gv) throw plainError(`unexpected GroupVersion string: ${stated}`);
  const named = typeof kind === "string" && kind ? kind : "ConversionReview";
  const isReview = gv.group === group && named === "ConversionReview";
  if (isReview && gv.version === version) return;
  const type = typeName(stated, named, isReview);
  throw plainError(
    type
      ? `converting (${type}) to (${version}.ConversionReview): unknown conversion`
      : `no kind ${quoteGo(named)} is registered for version ${quoteGo(stated)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** The Go type of the other kinds that the decoder knows. */
function typeName(apiVersion: string, kind: string, isReview: boolean): string | undefined {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  if (isReview && (version === "v1" || version === "v1beta1")) return `${version}.ConversionReview`;
  return apiVersion === "v1" && kind === "Status" ? "v1.Status" : undefined;
}

/** The Go type of a member and the JSON kind that it needs; of objects, their members. */
interface Shape {
  readonly type: string;
  readonly json: "object" | "array" | "string" | "number";
  readonly members?: Readonly<Record<string, Shape>>;
}

const text: Shape = { type: "string", json: "string" };

const reviewShape = (version: ReviewVersion): Readonly<Record<string, Shape>> => ({
  kind: text,
  apiVersion: text,
  response: {
    type: `${version}.ConversionResponse`,
    json: "object",
    members: {
      uid: { type: "types.UID", json: "string" },
      convertedObjects: { type: "[]runtime.RawExtension", json: "array" },
      result: {
        type: "v1.Status",
        json: "object",
        members: {
          status: text,
          message: text,
          reason: { type: "v1.StatusReason", json: "string" },
          code: { type: "int32", json: "number" },
        },
      },
    },
  },
});

function assertShape(
  object: JsonObject,
  struct: string,
  path: string,
  members: Readonly<Record<string, Shape>>,
): void {
  for (const [name, shape] of Object.entries(members)) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const at = path ? `${path}.${name}` : name;
    const kind = goKindOf(value);
    if (kind !== shape.json)
      throw plainError(
        `json: cannot unmarshal ${kind} into Go struct field ${struct}.${at} of type ${shape.type}`,
      );
    const inner = shape.type.slice(shape.type.indexOf(".") + 1);
    if (shape.members) assertShape(value as JsonObject, inner, at, shape.members);
  }
}
