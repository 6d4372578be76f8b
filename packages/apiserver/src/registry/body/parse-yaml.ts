// Parses YAML 1.1 bodies to JSON values as upstream does, with go-yaml's messages for faults. The
// parser is loaded with the first YAML body that is no JSON.
// Upstream: sigs.k8s.io/yaml (yaml.go), go.yaml.in/yaml/v2.
import { encodeJson, parseJson, type ParsedJson } from "homeostat/api";
import { decodeYamlText, type YamlText } from "../yaml/yaml-text.ts";
import { YamlSyntaxError } from "../yaml/yaml-reader.ts";
import { readJsonInYaml } from "./json-in-yaml.ts";

export { YamlSyntaxError };

/** A YAML body and its strict errors, e.g. `line 4: key "a" already set in map`. */
export interface ParsedYaml extends ParsedJson {
  readonly strictErrors: readonly string[];
}

const plainNumbers: Omit<ParsedJson, "value"> = { duplicates: [], floatLiterals: new Map() };
const tooDeep = "yaml: exceeded max depth of 10000";

/** Parses the first document; an empty one is null. Throws {@link YamlSyntaxError}. */
export async function parseYaml(body: string | Uint8Array): Promise<ParsedYaml> {
  const source: YamlText = typeof body === "string" ? { text: body } : decodeYamlText(body);
  try {
    const simple = source.fault === undefined ? readJsonInYaml(source.text) : undefined;
    if (simple !== undefined) return { value: simple, ...plainNumbers, strictErrors: [] };
    const { decodeNode } = await import("../yaml/decode-node.ts");
    const { parseDocument } = await import("../yaml/parse-document.ts");
    const root = parseDocument(source);
    if (!root) return { value: null, ...plainNumbers, strictErrors: [] };
    const { value, strictErrors, hasOddNumbers } = decodeNode(root);
    // Upstream decodes the JSON of the value, in which a number beyond int64 is no integer,
    // and -0 one.
    const json = hasOddNumbers ? parseJson(encodeJson(value)) : { value, ...plainNumbers };
    return { ...json, strictErrors };
  } catch (error) {
    throw error instanceof RangeError ? new YamlSyntaxError(tooDeep, { cause: error }) : error;
  }
}
