// What is kept of a request that changes something: verb, object, and the fields that it sent or a
// hash of its body. Nothing of the body itself, and of Secrets only the name.
import { createHmac } from "node:crypto";
import { isObject, type Json } from "../../../api/json.ts";
import type { ApiRequest } from "../../../client/client.ts";
import { fieldPaths } from "./field-paths.ts";
import { parseRequestPath } from "./request-path.ts";
import { mostListed, type RecordedWrite } from "./recorded-attempt.ts";

/** Undefined for reads, and for Events, which the runtime itself sends. */
export function recordWrite(
  request: ApiRequest,
  code: number,
  hashKey: Uint8Array,
): RecordedWrite | undefined {
  const { method, path, body } = request;
  if (method === "GET") return undefined;
  const at = parseRequestPath(path);
  if (!at || at.resource === "events") return undefined;
  const { apiVersion, resource, subresource, namespace } = at;
  const verb = verbOf(request, at.name);
  const name = at.name ?? nameIn(body);
  return {
    verb,
    resource: `${apiVersion} ${subresource === undefined ? resource : `${resource}/${subresource}`}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    code,
    ...(resource === "secrets" ? {} : sentBy(verb, body, hashKey)),
  };
}

function verbOf({ method, headers }: ApiRequest, name: string | undefined): string {
  if (method === "POST") return "create";
  if (method === "PUT") return "update";
  if (method === "DELETE") return name === undefined ? "deletecollection" : "delete";
  const type = Object.entries(headers ?? {}).find(([one]) => /^content-type$/i.test(one))?.[1];
  return type?.startsWith("application/apply-patch") ? "apply" : "patch";
}

function nameIn(body: ApiRequest["body"]): string | undefined {
  const metadata = isObject(body as Json) ? (body as { metadata?: Json }).metadata : undefined;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function sentBy(verb: string, body: ApiRequest["body"], hashKey: Uint8Array): object {
  if (body === undefined || verb.startsWith("delete")) return {};
  if (body instanceof Uint8Array) return { hash: hashOf(body, hashKey) };
  if (verb === "create" || verb === "update")
    return { hash: hashOf(JSON.stringify(body, withoutRevision), hashKey) };
  const { paths, more } = fieldPaths(body, mostListed);
  return { paths, ...(more > 0 ? { morePaths: more } : {}) };
}

/** Equal contents have equal hashes, whatever revision they replace. */
const withoutRevision = (name: string, value: unknown): unknown => {
  if (name === "resourceVersion" || name === "managedFields") return undefined;
  return typeof value === "bigint" ? `${value}` : value;
};

/** Keyed with what only this process knows, so that no reader finds a body by trying. */
const hashOf = (text: string | Uint8Array, key: Uint8Array): string =>
  createHmac("sha256", key).update(text).digest("hex").slice(0, 12);
