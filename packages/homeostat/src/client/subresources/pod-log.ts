// The log of a container: as text, or line by line while it grows.
// Upstream: k8s.io/api/core/v1 PodLogOptions.
import { argumentError } from "../../util/argument-error.ts";
import { unknownOptions } from "../../util/option-faults.ts";
import type { ApiRequest, Client, Key, RequestOptions } from "../client.ts";
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

const known = [
  "container",
  "previous",
  "sinceSeconds",
  "sinceTime",
  "timestamps",
  "tailLines",
  "limitBytes",
  "stream",
  "insecureSkipTLSVerifyBackend",
];

/** The log as text. */
export async function podLog(
  client: Client,
  pod: Key,
  { signal, timeoutMs, ...options }: PodLogOptions & RequestOptions = {},
): Promise<string> {
  const { body } = await client.request(logRequest(client, pod, options, known), {
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
  { signal, ...options }: PodLogLinesOptions = {},
): AsyncIterable<string> {
  const request = logRequest(client, pod, options, [...known, "follow"]);
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
  names: readonly string[],
): ApiRequest {
  const problems = unknownOptions(options, names);
  if (problems.length > 0) throw argumentError("podLog(…)", options, problems.join("; "));
  const { name, namespace } = typeof pod === "string" ? { name: pod, namespace: undefined } : pod;
  const key = { name, namespace: namespace ?? client.namespace };
  return {
    method: "GET",
    path: objectPath(Pod, key, "log"),
    query: { ...options },
    headers: { accept: "text/plain, application/json" },
  };
}
