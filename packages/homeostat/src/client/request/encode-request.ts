// Converts a request to what a Transport sends: query string, headers, body bytes. Pure.
import { encodeJsonBytes } from "../../api/encode-json.ts";
import type { Json } from "../../api/json.ts";
import type { TransportRequest } from "../../api/transport.ts";
import type { ApiRequest } from "../client.ts";

const encoder = new TextEncoder();

/** Builds the wire request; `headers` are defaults that the request's own headers override. */
export function encodeRequest(
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
): TransportRequest {
  const path = request.path + formatQuery(request.query, request.path.includes("?") ? "&" : "?");
  const body = bytesOf(request.body);
  const typed: Record<string, string> = body
    ? { "content-type": "application/json", ...headers }
    : { ...headers };
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value !== undefined) typed[name] = value;
  }
  return body
    ? { method: request.method, path, headers: typed, body }
    : { method: request.method, path, headers: typed };
}

function bytesOf(body: ApiRequest["body"]): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return encodeBody(body);
}

/**
 * Formats a query, e.g. `?limit=500&watch=true`; undefined entries are left out, lists repeat the
 * name.
 */
export function formatQuery(query: ApiRequest["query"], lead: "?" | "&"): string {
  if (!query) return "";
  let text = "";
  const add = (name: string, item: unknown): void => {
    text += `${text === "" ? lead : "&"}${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`;
  };
  for (const name in query) {
    const value = query[name];
    if (Array.isArray(value)) for (const item of value) add(name, item);
    else if (value !== undefined) add(name, value);
  }
  return text;
}

/** JSON.stringify is several times faster than the canonical writer and refuses only bigint. */
export function encodeBody(value: Json): Uint8Array {
  try {
    return encoder.encode(JSON.stringify(value));
  } catch (error) {
    if (error instanceof TypeError && hasBigint(value)) return encodeJsonBytes(value);
    throw error;
  }
}

function hasBigint(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasBigint);
}
