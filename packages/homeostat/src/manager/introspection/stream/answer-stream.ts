// The answer of `/stream`: server-sent events, or why there are none.
// Upstream: html.spec.whatwg.org/multipage/server-sent-events.html.
import type { PortAnswer } from "../../serving/http-port.ts";
import type { ClusterInspection } from "../cluster-inspection.ts";
import type { Viewer } from "../viewer.ts";
import { type ChangeStreams, mostReaders, seenNow } from "./change-streams.ts";
import { eventNames } from "./stream-event.ts";

/** What a stream is opened with. */
export interface StreamRequest {
  readonly query: URLSearchParams;
  readonly viewer: Viewer | undefined;
  readonly streams: ChangeStreams;
  inspect(): readonly ClusterInspection[];
  /** An answer that is no stream. */
  failure(status: number, kind: string, message: string): PortAnswer;
}

/** Questions about rights that are asked before a stream begins. */
const mostAsked = 50;

export async function answerStream(request: StreamRequest): Promise<PortAnswer> {
  const { query, viewer, streams, inspect, failure } = request;
  const wanted = query.getAll("event").flatMap((one) => one.split(","));
  const unknown = wanted.find((one) => !eventNames.some((name) => name === one));
  if (unknown !== undefined)
    return failure(400, "BadRequest", `no event is called "${unknown}": ${eventNames.join(", ")}`);
  const asked = {
    names: new Set<string>(wanted.length > 0 ? wanted : eventNames),
    controller: query.get("controller") ?? undefined,
    namespace: query.get("namespace") ?? undefined,
  };
  const reader = streams.open(asked, viewer, inspect);
  if (!reader) {
    const refusal = failure(
      503,
      "TooManyReaders",
      `${mostReaders} streams are open, which is as many as this process serves; try again later`,
    );
    return { ...refusal, headers: { "retry-after": "5" } };
  }
  if (reader.sight) await reader.sight.learn(seenNow(inspect()).slice(0, mostAsked));
  reader.say("hello", { apiVersion: "homeostat.dev/v1alpha1", events: [...asked.names] });
  return {
    status: 200,
    contentType: "text/event-stream",
    body: "",
    stream(sink) {
      reader.attach(sink);
      reader.flush();
    },
    abandoned: () => reader.close("it was not read"),
  };
}
