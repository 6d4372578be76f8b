// Adds the headers that all responses have, over HTTP or in process: audit id, cache control. The
// head of an upgraded connection stays as the other server sent it. Knows
// no resource and no socket.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters (audit_init.go, cachecontrol.go).
import { encodeJsonBytes, type Json } from "homeostat/api";
import { type Runtime, uuid } from "homeostat/runtime";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import type { ApiRequest, ApiResponse, Handler } from "../apimachinery/handler.ts";

/** Wraps the handler of a server core. The result never rejects. */
export function withResponseHeaders(core: Handler, runtime: Runtime): Handler {
  return async (request) => {
    const answer = await answerOf(core, request);
    if (answer.status === 101) return answer;
    return {
      ...answer,
      headers: {
        "audit-id": request.headers["audit-id"] || uuid(runtime.entropy),
        "cache-control": "no-cache, private",
        ...answer.headers,
      },
    };
  };
}

/** The core should never reject; if it does, the client gets an InternalError. */
async function answerOf(core: Handler, request: ApiRequest): Promise<ApiResponse> {
  try {
    return await core(request);
  } catch (error) {
    const message = `Internal error occurred: ${reasonOf(error)}`;
    return status(500, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    });
  }
}

const status = (code: number, body: Json): ApiResponse => ({
  status: code,
  headers: { "content-type": "application/json" },
  body: encodeJsonBytes(body),
});
