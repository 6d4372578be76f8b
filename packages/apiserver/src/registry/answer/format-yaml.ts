// Objects as YAML, close to how sigs.k8s.io/yaml writes them: keys in order, folded at 80 columns, texts that would read as
// something else in double quotes. The library is loaded when the first YAML answer is asked for.
// Upstream: sigs.k8s.io/yaml/goyaml.v2 (encode.go stringv, emitterc.go).
import type { JsonObject } from "homeostat/api";

/** Texts that YAML 1.1 would read as a boolean, a null, a number or a time. */
const readsAsOther = /^(?:|~|null|y|n|yes|no|on|off|true|false|[-+]?(?:\.?[0-9][0-9_,.:eE+-]*|0[xob][0-9a-fA-F_]+|\.(?:inf|nan))|\d{4}-\d\d?-\d\d?.*)$/i;

/** Formats with a final newline. */
export async function formatYaml(object: JsonObject): Promise<string> {
  const { Document, isScalar, visit } = await import("yaml");
  const document = new Document(object, { version: "1.1", schema: "yaml-1.1", sortMapEntries: true, aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === "string" && readsAsOther.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 80, indentSeq: false, singleQuote: true });
}
