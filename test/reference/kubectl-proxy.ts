// Plain HTTP to a cluster that a kubeconfig names: kubectl's proxy spares tests the handling of
// certificates.
import { spawn } from "node:child_process";
import type { Json, JsonObject } from "homeostat/api";

/** An answer; a body that is no JSON is `{}`. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warning: string | null;
}

/** Sends one request; a string body goes as it is. */
export type Send = (
  method: string,
  path: string,
  contentType: string,
  body?: Json,
) => Promise<Answer>;

/** Sends to the API server at a URL, with a bearer token where one is given. */
export function createSend(base: string, token?: string): Send {
  return async (method, path, contentType, body) => {
    const headers = {
      "content-type": contentType,
      "user-agent": "reference-test/1",
      connection: "close",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const response = await fetch(base + path, {
      method,
      headers,
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      warning: response.headers.get("warning"),
      body: text.startsWith("{") ? (JSON.parse(text) as JsonObject) : {},
    };
  };
}

/** A running proxy. */
export interface KubectlProxy {
  readonly send: Send;
  close(): void;
}

/** Rejects if kubectl ends before it listens. */
export async function openKubectlProxy(kubeconfig: string): Promise<KubectlProxy> {
  const child = spawn("kubectl", ["--kubeconfig", kubeconfig, "proxy", "--port=0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    const found = /127\.0\.0\.1:[0-9]+/.exec(String(chunk));
    if (found) return { send: createSend(`http://${found[0]}`), close: () => void child.kill() };
  }
  throw new Error("open a proxy with kubectl: it ended before it listened; see its output above");
}
