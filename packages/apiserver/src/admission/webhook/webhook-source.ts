// The webhooks of all stored configurations of one kind, in the order in which they are called.
// They are read again by the first request after a change; without any, requests pay nothing.
// Upstream: k8s.io/apiserver/pkg/admission/configuration/{mutating,validating}_webhook_manager.go,
// pkg/admission/plugin/webhook/accessors.go.
import { compareBytewise, type Decoded } from "homeostat/api";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
} from "homeostat/k8s/admissionregistration/v1";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { StoredObjects } from "../../registry/revisions/stored-objects.ts";
import type { ConditionMatcher } from "../cel/match-conditions.ts";
import type { WebhookCriteria } from "../matching/match-request.ts";
import { parseSelectors } from "../matching/selectors.ts";

/** A webhook as its configuration has it; a validating one has no reinvocationPolicy. */
export type WebhookSpec = Decoded<MutatingWebhook>;

/** One webhook of a stored configuration. */
export interface RegisteredWebhook {
  /** `<configuration>/<name>/<how many before it have the name>`. */
  readonly uid: string;
  readonly configuration: string;
  readonly name: string;
  readonly spec: WebhookSpec;
  readonly criteria: WebhookCriteria;
  /** Compiled by the first request that needs it; absent without match conditions. */
  conditions?: ConditionMatcher;
}

/** The webhooks that are registered now. */
export interface WebhookSource {
  webhooks(): readonly RegisteredWebhook[];
  close(): void;
}

const group = "admissionregistration.k8s.io";

/** Follows the configurations, `mutatingwebhookconfigurations` or the validating ones. */
export function createWebhookSource(objects: StoredObjects, resource: string): WebhookSource {
  const kind = { group, resource };
  let current: readonly RegisteredWebhook[] | undefined;
  const stop = objects.watch(kind, () => (current = undefined));
  return {
    webhooks: () =>
      (current ??= readWebhooks(
        objects.list(kind) as readonly Decoded<MutatingWebhookConfiguration>[],
      )),
    close: stop,
  };
}

/** By the names of the configurations, and in the order of each. */
function readWebhooks(
  configurations: readonly Decoded<MutatingWebhookConfiguration>[],
): readonly RegisteredWebhook[] {
  return configurations
    .map((each) => ({ name: metaString(each, "name"), webhooks: each.webhooks ?? [] }))
    .toSorted((a, b) => compareBytewise(a.name, b.name))
    .flatMap(({ name, webhooks }) => registered(name, webhooks));
}

function registered(
  configuration: string,
  webhooks: readonly WebhookSpec[],
): readonly RegisteredWebhook[] {
  const seen = new Map<string, number>();
  return webhooks.map((spec) => {
    const name = spec.name ?? "";
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    const { namespaceSelector, objectSelector, rules, matchPolicy } = spec;
    const selectors = parseSelectors({ namespaceSelector, objectSelector });
    return {
      uid: `${configuration}/${name}/${nth}`,
      configuration,
      name,
      spec,
      criteria: { ...selectors, rules: rules ?? [], matchPolicy: matchPolicy ?? undefined },
    };
  });
}
