// Shares the parameters of a v2 document: each is written once and referred to. Names end in a hash
// of the parameter with its description: they are upstream's where documents have descriptions.
// Upstream: k8s.io/kube-openapi/pkg/builder/parameters.go (deduplicateParameters).
import { encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";

/** The paths with references, and the shared parameters by name. */
export function shareParameters(paths: JsonObject): {
  readonly paths: JsonObject;
  readonly parameters: JsonObject;
} {
  const parameters: JsonObject = {};
  const names = new Map<string, string>();
  const share = (parameter: JsonObject): JsonObject => {
    if (!isShared(parameter)) return parameter;
    const text = encodeJson(parameter);
    let name = names.get(text);
    if (name === undefined) {
      name = `${String(parameter.name)}-${hash(hashedText(parameter))}`;
      names.set(text, name);
      parameters[name] = parameter;
    }
    return { $ref: `#/parameters/${name}` };
  };
  const shareList = (list: Json): JsonObject[] => (list as JsonObject[]).map(share);
  const shareOperation = (operation: Json): Json =>
    isObject(operation) && operation.parameters
      ? { ...operation, parameters: shareList(operation.parameters) }
      : operation;
  const shareItem = (item: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [
        key,
        key === "parameters" ? shareList(value) : shareOperation(value),
      ]),
    );
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, shareItem(item as JsonObject)]),
    ),
    parameters,
  };
}

/** Not shared: names and bodies, which differ by kind, and two that old clients expect in place. */
function isShared({ name, in: place, schema }: JsonObject): boolean {
  if (name === "name" || (place === "query" && (name === "fieldValidation" || name === "dryRun")))
    return false;
  return (
    place !== "body" ||
    (isObject(schema) && String(schema.$ref).startsWith("#/definitions/io.k8s.apimachinery"))
  );
}

/** Fields in the order in which upstream writes them (kube-openapi's validation/spec.Parameter). */
const order = ["uniqueItems", "type", "items", "description", "name", "in", "required", "schema"];

function hashedText(parameter: JsonObject): string {
  const names = [...order, ...Object.keys(parameter).filter((name) => !order.includes(name))];
  const fields = names.flatMap((name) =>
    parameter[name] === undefined ? [] : [[name, parameter[name]] as const],
  );
  return JSON.stringify(Object.fromEntries(fields));
}

/** Six bytes of FNV-1, 64 bits, in URL-safe base64. */
function hash(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text))
    sum = ((sum * 0x100000001b3n) & 0xffffffffffffffffn) ^ BigInt(byte);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(sum);
  return bytes.subarray(0, 6).toString("base64url");
}
