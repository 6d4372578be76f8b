// Converts a refused response to an error: with the server's Status unchanged, or one built from
// the response.
// Upstream: k8s.io/apimachinery/pkg/api/errors NewGenericServerResponse (reasons by code for
// answers that are no Status).
import { ApiStatusError, type Status, type StatusReason } from "../../api/status.ts";
import type { ApiRequest } from "../client.ts";
import { decodeJson } from "./decode-json.ts";

const reasons: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
const shownBytes = 512;

/**
 * The error for a response of 400 or above. `access` is mentioned if the server rejects its
 * credentials.
 */
export function toStatusError(
  request: Pick<ApiRequest, "method" | "path">,
  code: number,
  body: Uint8Array,
  access?: { readonly server: string; readonly origin: string },
): ApiStatusError {
  const asked = `${request.method} ${request.path}${access ? ` at ${access.server}` : ""}`;
  const status = readStatus(body) ?? foreignStatus({ ...request, asked }, code, body);
  const advice = `${access?.server} does not take the credentials of ${access?.origin}: renew them, or correct the user there`;
  return new ApiStatusError(status, {
    request: asked,
    ...(code === 401 && access ? { advice } : {}),
  });
}

/** True for a meta/v1 Status. */
function readStatus(body: Uint8Array): Status | undefined {
  try {
    const value = decodeJson(body) as unknown as Status | null;
    return value?.kind === "Status" && value.apiVersion === "v1" && typeof value.code === "number"
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A response that is not from an API server: a proxy's page, plain text. Its message begins with
 * what was asked.
 */
function foreignStatus(
  { asked, path }: Pick<ApiRequest, "path"> & { readonly asked: string },
  code: number,
  body: Uint8Array,
): Status {
  const text = new TextDecoder().decode(body.subarray(0, shownBytes)).trim();
  const said = text ? `: ${text}` : "";
  const advice = adviceOn(path, code, text);
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${asked}: the server answered ${code} without a Status${said}${advice && `; ${advice}`}`,
    reason: reasons[code] ?? (code >= 500 ? "InternalError" : ""),
    code,
  };
}

/** The usual cause of such a response; "" if unknown. The texts are those of Go's net/http. */
function adviceOn(path: string, code: number, text: string): string {
  if (code === 400 && text.includes("HTTP request to an HTTPS server"))
    return "the server speaks TLS: write https:// in its address";
  const resource = code === 404 ? resourceOf(path) : undefined;
  return resource
    ? `it does not serve ${resource}: install the definition first (installDefinitions(), or kubectl apply of the CustomResourceDefinition)`
    : "";
}

/** True for the answer to the path of a resource that the server does not serve. */
export const isUnserved = (
  { path }: Pick<ApiRequest, "path">,
  { status }: ApiStatusError,
): boolean =>
  status.code === 404 && status.details?.name === undefined && resourceOf(path) !== undefined;

/** The resource in a path, e.g. `orders.kitchen.example.com/v1`; undefined for other paths. */
function resourceOf(path: string): string | undefined {
  const [, group = "", version, resource] =
    /^\/(?:api|apis\/([^/?]+))\/([^/?]+)\/(?:namespaces\/[^/?]+\/)?([^/?]+)/.exec(path) ?? [];
  return resource && `${resource}${group && `.${group}`}/${version}`;
}
