// The configuration of ResourceQuota: resources that nobody uses without a quota. Pure.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/{config.go,apis/resourcequota}.
import type { Decoded } from "homeostat/api";
import type { ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";
import { required } from "../../apimachinery/errors/field-error.ts";
import { readMembers } from "../go-members.ts";
import {
  assertConfigurationKind,
  assertKnownFields,
  assertNoFieldErrors,
} from "./decode-configuration.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";

const kinds = [
  { group: "apiserver.config.k8s.io", versions: ["v1"], kind: "ResourceQuotaConfiguration" },
  {
    group: "resourcequota.admission.k8s.io",
    versions: ["v1beta1", "v1alpha1"],
    kind: "Configuration",
  },
] as const;
const matchScopes = { operator: null, scopeName: null, values: null } as const;
const fields = {
  limitedResources: { apiGroup: null, resource: null, matchContains: null, matchScopes },
} as const;

/** A resource that needs a quota. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  /** Substrings of the names of what is used, e.g. `.storageclass.storage.k8s.io/`. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly Decoded<ScopedResourceSelectorRequirement>[];
}

/** Throws an Error with upstream's message. */
export function parseQuotaConfiguration(
  given: PluginConfiguration | undefined,
): readonly LimitedResource[] {
  if (!given) return [];
  assertConfigurationKind(given, ...kinds);
  const items = readMembers(given.value, "Configuration").objects(
    "limitedResources",
    "v1.LimitedResource",
  );
  const limited = items.map((item): LimitedResource => {
    const read = readMembers(item, "LimitedResource.limitedResources");
    return {
      apiGroup: read.text("apiGroup") ?? "",
      resource: read.text("resource") ?? "",
      matchContains: read.texts("matchContains"),
      matchScopes: read.objects("matchScopes", "v1.ScopedResourceSelectorRequirement"),
    };
  });
  assertKnownFields(given.value, fields);
  const unnamed = limited.flatMap(({ resource }, at) =>
    resource ? [] : [required(`limitedResources[${at}].resource`, "")],
  );
  assertNoFieldErrors(unnamed);
  return limited;
}
