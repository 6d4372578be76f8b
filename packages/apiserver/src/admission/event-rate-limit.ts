// EventRateLimit: refuses events beyond the rates that its configuration states, for the server, or
// for each namespace, user, or source and object.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/{admission,limitenforcer}.go,
// k8s.io/client-go/util/flowcontrol/throttle.go (NewTokenBucketRateLimiterWithClock).
import type { Decoded } from "homeostat/api";
import type { Event } from "homeostat/k8s/core/v1";
import { aggregate } from "../apimachinery/errors/aggregate.ts";
import { failure } from "../apimachinery/errors/api-errors.ts";
import { LruCache } from "../apimachinery/lru-cache.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin } from "./admission-plugin.ts";
import {
  type EventLimit,
  type LimitType,
  parseEventRateLimit,
} from "./configuration/event-rate-limit.ts";

/** Limiters of which the least recently used are forgotten. */
const defaultCacheSize = 4096;

export const createEventRateLimit: CreatePlugin = ({ runtime }, given) => {
  const limits = parseEventRateLimit(given).map((limit) => createLimit(limit));
  return {
    validate(request) {
      const { operation, kind, dryRun } = request;
      const isEvent = kind.kind === "Event" && ["", "events.k8s.io"].includes(kind.group);
      if (!isEvent || dryRun || (operation !== "CREATE" && operation !== "UPDATE")) return;
      const now = runtime.clock.now();
      const faults = limits.flatMap((limit) => limit(request, now) ?? []);
      if (faults.length)
        throw failure(429, "TooManyRequests", `Too many requests: ${aggregate(faults)}`);
    },
  };
};

/** Why the limit refuses the event; undefined if it does not. */
type Limit = (request: AdmissionRequest, now: number) => string | undefined;

function createLimit({ type, qps, burst, cacheSize }: EventLimit): Limit {
  const buckets = new LruCache<Bucket>(type === "Server" ? 1 : cacheSize || defaultCacheSize);
  return (request, now) => {
    const key = keys[type](request);
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + ((now - at) / 1000) * qps);
    const isAccepted = filled >= 1;
    buckets.set(key, { tokens: isAccepted ? filled - 1 : filled, at: now });
    return isAccepted ? undefined : `limit reached on type ${type} for key ${key}`;
  };
}

/** Tokens of a bucket at a time in milliseconds. */
interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

const keys: Readonly<Record<LimitType, (request: AdmissionRequest) => string>> = {
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => (object ? sourceAndObject(object as Decoded<Event>) : ""),
};

/** Events of both groups: `deprecatedSource` and `regarding` in events.k8s.io. */
function sourceAndObject(event: Decoded<Event>): string {
  type Newer = Pick<Decoded<Event>, "source" | "involvedObject">;
  const newer = event as unknown as {
    readonly deprecatedSource?: Newer["source"];
    readonly regarding?: Newer["involvedObject"];
  };
  const source = event.source ?? newer.deprecatedSource;
  const object = event.involvedObject ?? newer.regarding;
  return [
    source?.component,
    source?.host,
    object?.kind,
    object?.namespace,
    object?.name,
    object?.uid,
    object?.apiVersion,
  ]
    .map((part) => part ?? "")
    .join("");
}
