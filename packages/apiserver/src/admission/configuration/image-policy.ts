// The configuration of ImagePolicyWebhook: the kubeconfig of its backend, and how long answers
// hold. Pure.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/imagepolicy/config.go,
// k8s.io/client-go/tools/clientcmd.
import { isObject } from "homeostat/api";
import { formatGoDuration } from "../../apimachinery/values/go-duration.ts";
import {
  emptyConfigError,
  type WebhookCluster,
  type WebhookCredentials,
} from "../../webhook-client/webhook-kubeconfig.ts";
import { mismatch, readMembers } from "../go-members.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";

export interface ImagePolicy {
  readonly cluster: WebhookCluster;
  readonly credentials: WebhookCredentials | undefined;
  /** 0: the answer is not kept. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  readonly defaultAllow: boolean;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;

/** Throws an Error with upstream's message. */
export function parseImagePolicy(given: PluginConfiguration | undefined): ImagePolicy {
  if (!given) throw new Error("no config specified");
  const policy = given.value["imagePolicy"] ?? {};
  const at = "imagePolicyWebhookConfig.imagePolicy";
  if (!isObject(policy)) throw mismatch(policy, "AdmissionConfig.imagePolicy", at.split(".")[0]!);
  const read = readMembers(policy, at);
  const durations = {
    retryBackoffMs: durationOf(read.integer("retryBackoff"), backoff),
    allowTtlMs: durationOf(read.integer("allowTTL"), { ...ttl, defaultMs: 5 * minuteMs }),
    denyTtlMs: durationOf(read.integer("denyTTL"), { ...ttl, defaultMs: 30 * secondMs }),
  };
  const defaultAllow = read.bool("defaultAllow") ?? false;
  return { ...durations, defaultAllow, ...backendOf(given) };
}

interface Range {
  /** What a number of the file stands for. */
  readonly unitMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly defaultMs: number;
}

const backoff: Range = { unitMs: 1, minMs: 1e-6, maxMs: 5 * minuteMs, defaultMs: 500 };
const ttl = { unitMs: secondMs, minMs: secondMs, maxMs: 30 * minuteMs } as const;

/** -1 switches off; 0 is the default. */
function durationOf(value = 0, { unitMs, minMs, maxMs, defaultMs }: Range): number {
  if (value === -1) return 0;
  if (value === 0) return defaultMs;
  const ms = value * unitMs;
  if (ms >= minMs && ms <= maxMs) return ms;
  const [min, max, got] = [minMs, maxMs, ms].map((each) =>
    formatGoDuration(BigInt(Math.round(each * 1e6))),
  );
  throw new Error(`valid value is between ${min} and ${max}, got ${got}`);
}

function backendOf({
  kubeconfig,
}: PluginConfiguration): Pick<ImagePolicy, "cluster" | "credentials"> {
  if (kubeconfig instanceof Error) throw kubeconfig;
  const cluster = kubeconfig?.currentCluster ?? new Error(emptyConfigError);
  if (cluster instanceof Error) throw cluster;
  const credentials = kubeconfig?.users.get(kubeconfig.currentUser);
  if (credentials instanceof Error) throw credentials;
  return { cluster, credentials };
}
