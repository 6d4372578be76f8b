// The log of a container: as text, or line by line while it grows.
// Upstream: k8s.io/api/core/v1 PodLogOptions.
import { checkOptions, type KnownOptions } from "../../util/call-options.ts";
import type { ApiRequest, Client, Key, RequestOptions } from "../client.ts";
import { addressOf } from "../check-requests.ts";
import { dynamicKind } from "../discovery/kind-resolver.ts";
import { objectPath } from "../request/object-path.ts";
import { LineSplitter } from "../line-splitter.ts";
import { readStream } from "../read-stream.ts";

const Pod = dynamicKind({ apiVersion: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" });

/** Which part of which log. */
export interface PodLogOptions {
  /** Needed if the pod has several containers. */
  readonly container?: string;
  /** The log of the container's previous run. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339, e.g. `2026-11-22T13:57:35Z`. */
  readonly sinceTime?: string;
  /** Begins each line with its time. */
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream?: "All" | "Stdout" | "Stderr";
  readonly insecureSkipTLSVerifyBackend?: boolean;
}

/** Options of `podLogLines`. */
export interface PodLogLinesOptions extends PodLogOptions {
  /** Goes on as the log grows, until the container ends. */
  readonly follow?: boolean;
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal;
}

const known = {
  container: "a string",
  previous: "true or false",
  sinceSeconds: "a number",
  sinceTime: "a string",
  timestamps: "true or false",
  tailLines: "a number",
  limitBytes: "a number",
  stream: "a string",
  insecureSkipTLSVerifyBackend: "true or false",
  signal: "an AbortSignal",
} as const satisfies KnownOptions<PodLogOptions & Pick<PodLogLinesOptions, "signal">>;

/** The log as text. */
export async function podLog(
  client: Client,
  pod: Key,
  given: PodLogOptions & RequestOptions = {},
): Promise<string> {
  checkOptions("podLog(…)", given, { ...known, timeoutMs: "a number" });
  const { signal, timeoutMs, ...options } = given;
  const { body } = await client.request(logRequest(client, pod, options), {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return new TextDecoder().decode(body);
}

/**
 * The lines of the log, without their newline. The server waits while the reader is behind; leaving
 * the loop closes the connection.
 */
export function podLogLines(
  client: Client,
  pod: Key,
  given: PodLogLinesOptions = {},
): AsyncIterable<string> {
  checkOptions("podLogLines(…)", given, { ...known, follow: "true or false" });
  const { signal, ...options } = given;
  const request = logRequest(client, pod, options);
  const scoped = signal ? client.with({ signal }) : client;
  const decoder = new TextDecoder();
  return readStream<string>((inbox) => {
    const splitter = new LineSplitter((line) => inbox.push(decoder.decode(line)), {
      keepsEmpty: true,
    });
    return scoped.openStream(request, {
      opened: () => {},
      data: (chunk) => inbox.feed(() => splitter.push(chunk)),
      closed(error) {
        if (!error) splitter.end();
        inbox.close(error);
      },
    });
  });
}

function logRequest(
  client: Client,
  pod: Key,
  options: Omit<PodLogLinesOptions, "signal">,
): ApiRequest {
  const { name, namespace } = addressOf(Pod, pod);
  const key = { name, namespace: namespace ?? client.namespace };
  return {
    method: "GET",
    path: objectPath(Pod, key, "log"),
    query: { ...options },
    headers: { accept: "text/plain, application/json" },
  };
}
