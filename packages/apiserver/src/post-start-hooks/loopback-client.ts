// The server's own client: its requests pass the same handler chain as all others, under the
// server's name, so that validation, field ownership and events are as upstream's.
// Upstream: the loopback client of k8s.io/apiserver/pkg/server/config_selfclient.go.
import { encodeJsonBytes, type Json, type JsonObject } from "homeostat/api";
import { kubernetesVersion } from "../apimachinery/kubernetes-version.ts";
import { type Handler, isStream, wholeBody } from "../apimachinery/handler.ts";
import { loopbackUser } from "../apimachinery/user-info.ts";

/** An answer with its body parsed. */
export interface LoopbackResponse {
  readonly status: number;
  readonly object: JsonObject;
}

/** Sends one request and waits for its whole answer. */
export type LoopbackClient = (
  method: string,
  path: string,
  body?: Json,
) => Promise<LoopbackResponse>;

const userAgent = `kube-apiserver/${kubernetesVersion}`;

/** A caller on the server's handler. */
export function createLoopbackClient(handler: Handler): LoopbackClient {
  return async (method, path, body) => {
    const headers = {
      accept: "application/json",
      "user-agent": userAgent,
      ...(body === undefined ? {} : { "content-type": contentType(method) }),
    };
    const answer = await handler({
      method,
      path,
      headers,
      body: body === undefined ? new Uint8Array() : encodeJsonBytes(body),
      user: loopbackUser,
    });
    if (isStream(answer.body))
      throw new Error(
        `${method} ${path}: expected one answer from the server itself, got a stream; this is a bug`,
      );
    return { status: answer.status, object: readObject(wholeBody(answer.body)) };
  };
}

/** The server patches by apply only. */
const contentType = (method: string): string =>
  method === "PATCH" ? "application/apply-patch+yaml" : "application/json";

function readObject(bytes: Uint8Array): JsonObject {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
  } catch {
    return {};
  }
}
