// ImagePolicyWebhook: asks a backend whether the images of a pod are allowed, and keeps its answers
// for a time.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/imagepolicy/admission.go,
// k8s.io/apiserver/pkg/util/webhook/webhook.go (WithExponentialBackoff).
import { type Decoded, encodeJson, isObject, type Json } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { LruCache } from "../apimachinery/lru-cache.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { fillClaim, notRegistered } from "../registry/body/claimed-kind.ts";
import { parseBody } from "../registry/body/parse-body.ts";
import { WebhookError } from "../webhook-client/webhook-client.ts";
import { type CreatePlugin, isAbout, type PluginServices, refuse } from "./admission-plugin.ts";
import { type ImagePolicy, parseImagePolicy } from "./configuration/image-policy.ts";
import { mismatch, readMembers } from "./go-members.ts";

const maxAnswers = 1024;
/** Calls of the backend, of which each waits longer than the one before. */
const maxCalls = 5;
const backoffFactor = 1.5;

interface Answer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

const auditPrefix = "imagepolicywebhook.image-policy.k8s.io/";

export const createImagePolicyWebhook: CreatePlugin = (services, given) => {
  const policy = parseImagePolicy(given);
  const kept = new LruCache<Answer & { readonly untilMs: number }>(maxAnswers);
  const { clock } = services.runtime;
  const answerTo = async (spec: string): Promise<Answer> => {
    const known = kept.get(spec);
    if (known && known.untilMs > clock.now()) return known;
    const answer = await askBackend(spec, policy, services);
    const ttlMs = answer.allowed ? policy.allowTtlMs : policy.denyTtlMs;
    kept.set(spec, { ...answer, untilMs: clock.now() + ttlMs });
    return answer;
  };
  return {
    async validate(request) {
      if (!isReviewed(request)) return;
      const answer = await answerTo(reviewSpec(request)).catch((error: unknown) => {
        if (policy.defaultAllow) return failedOpen;
        throw refuse(request, reasonOf(error));
      });
      for (const [key, value] of answer.auditAnnotations)
        request.audit?.annotate(`${auditPrefix}${key}`, value);
      if (answer.allowed) return;
      throw refuse(
        request,
        answer.reason
          ? `image policy webhook backend denied one or more images: ${answer.reason}`
          : "one or more images rejected by webhook backend",
      );
    },
  };
};

/** What a backend that does not answer stands for, where that allows images. */
const failedOpen: Answer = {
  allowed: true,
  reason: "",
  auditAnnotations: new Map([["failed-open", "true"]]),
};

const isReviewed = (request: AdmissionRequest): boolean =>
  (request.operation === "CREATE" || request.operation === "UPDATE") &&
  request.object !== undefined &&
  (isAbout(request, "", "pods") || isAbout(request, "", "pods", "ephemeralcontainers"));

/** The `spec` of an ImageReview. */
function reviewSpec({ object, subresource, namespace }: AdmissionRequest): string {
  const { metadata, spec }: Decoded<Pod> = object!;
  const containers = subresource
    ? (spec?.ephemeralContainers ?? [])
    : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([name]) =>
    name.includes(".image-policy.k8s.io/"),
  );
  return encodeJson({
    ...(containers.length
      ? { containers: containers.map(({ image }) => (image ? { image } : {})) }
      : {}),
    ...(annotations.length ? { annotations: Object.fromEntries(annotations.toSorted()) } : {}),
    ...(namespace ? { namespace } : {}),
  });
}

/** Throws the error of the last call. */
async function askBackend(
  spec: string,
  { cluster, credentials, retryBackoffMs }: ImagePolicy,
  { webhookClient, runtime }: PluginServices,
): Promise<Answer> {
  const { server, caBundle, skipsVerification, serverName } = cluster;
  const call = {
    config: { url: server, ...(caBundle === undefined ? {} : { caBundle }) },
    access: { ...credentials, skipsVerification, serverName },
    body: `{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1alpha1","metadata":{},"spec":${spec},"status":{"allowed":false}}\n`,
  };
  for (let calls = 1, waitMs = retryBackoffMs; ; calls++, waitMs *= backoffFactor)
    try {
      return await decodeReview(await webhookClient.post(call));
    } catch (error) {
      if (calls === maxCalls || !isTransient(error)) throw error;
      await new Promise<void>((done) => void runtime.clock.timer(waitMs, done));
    }
}

const transient = new Set(["InternalError", "Timeout", "TooManyRequests", "ServerTimeout"]);

const isTransient = (error: unknown): boolean =>
  error instanceof WebhookError &&
  (transient.has(error.status?.reason ?? "") || /connection reset by peer$/.test(error.message));

async function decodeReview(body: Uint8Array): Promise<Answer> {
  const parsed = await parseBody(body, "application/json");
  const expected = { group: "imagepolicy.k8s.io", version: "v1alpha1", kind: "ImageReview" };
  const { group, version, kind } = fillClaim(parsed, expected);
  if (group !== expected.group || version !== expected.version || kind !== expected.kind)
    throw new Error(notRegistered(kind, parsed.apiVersion));
  const status: Json = parsed.value["status"] ?? {};
  if (!isObject(status)) throw mismatch(status, "ImageReview.status", "v1alpha1.ImageReviewStatus");
  const read = readMembers(status, "ImageReviewStatus.status");
  return {
    allowed: read.bool("allowed") ?? false,
    reason: read.text("reason") ?? "",
    auditAnnotations: read.textMap("auditAnnotations"),
  };
}
