// Parses the text of a patch. Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import { JsonSyntaxError, parseJson, type ParsedJson } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";

interface Options {
  /** What becomes of numbers that are too large: see parseJson. */
  readonly overflow?: "refused" | "kept";
  /** The error text of a syntax error; the parser's message if not given. */
  readonly describe?: (message: string) => string;
}

/** Parses JSON. Throws ApiStatusError 400. */
export function parsePatchText(
  text: string,
  { overflow = "refused", describe = (message) => message }: Options = {},
): ParsedJson {
  try {
    return parseJson(text, { overflow });
  } catch (error) {
    throw error instanceof JsonSyntaxError ? badRequestError(describe(error.message)) : error;
  }
}
