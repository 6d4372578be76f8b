// Parses the bytes of a body by media type, before its kind is checked.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/json (json.go, meta.go).
import {
  isObject,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  type ParsedJson,
} from "homeostat/api";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { parseYaml, YamlSyntaxError } from "./parse-yaml.ts";

/** A parsed body with the type that it states and the strict errors of its syntax. */
export interface ParsedBody extends ParsedJson {
  readonly value: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly strictErrors: readonly string[];
}

/**
 * The body cannot be parsed; the message is upstream's, without the part that the endpoint adds.
 */
export class BodyError extends Error {
  override readonly name = "BodyError";
}

/** Parses JSON or YAML. Throws {@link BodyError}. */
export async function parseBody(
  body: Uint8Array,
  mediaType: "application/json" | "application/yaml",
): Promise<ParsedBody> {
  if (mediaType === "application/yaml") return claimBody(await readYaml(body));
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  return claimBody(readJson(text));
}

/** Parses what begins as an object as JSON, all else as YAML. Throws {@link BodyError}. */
export async function parseUntyped(body: Uint8Array): Promise<ParsedBody> {
  const start = Buffer.from(body.subarray(0, mostSpaces)).toString("latin1").trimStart();
  return await parseBody(body, start.startsWith("{") ? "application/json" : "application/yaml");
}

/** White space before an object may be as long. */
const mostSpaces = 4096;

/** Parses JSON. Numbers too large for a field are left to the decoder. Throws {@link BodyError}. */
function readJson(text: string): ParsedJson {
  try {
    return parseJson(text, { overflow: "kept" });
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw new BodyError(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}

async function readYaml(
  body: Uint8Array,
): Promise<ParsedJson & { readonly strictErrors: readonly string[] }> {
  try {
    return await parseYaml(body);
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw new BodyError(error.message);
    throw error;
  }
}

const typeStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads the type that a parsed value states; null counts as an empty object. Throws {@link
 * BodyError}.
 */
export function claimBody(
  parsed: ParsedJson & { readonly strictErrors?: readonly string[] },
): ParsedBody {
  const value = parsed.value ?? {};
  if (!isObject(value))
    throw new BodyError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type ${typeStruct}`,
    );
  return {
    ...parsed,
    value,
    strictErrors: parsed.strictErrors ?? [],
    apiVersion: claimed(value, "apiVersion"),
    kind: claimed(value, "kind"),
  };
}

function claimed(value: JsonObject, field: string): string {
  const text = Object.hasOwn(value, field) ? value[field]! : null;
  if (text === null) return "";
  if (typeof text !== "string")
    throw new BodyError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(text)} into Go struct field .${field} of type string`,
    );
  return text;
}
