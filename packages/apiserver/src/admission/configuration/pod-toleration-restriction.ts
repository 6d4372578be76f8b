// The configuration of PodTolerationRestriction: what tolerations pods have by default, and which
// they may have. Pure.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/{config.go,apis}.
import type { Decoded } from "homeostat/api";
import type { Toleration } from "homeostat/k8s/core/v1";
import { formatFieldError } from "../../apimachinery/errors/aggregate.ts";
import { eachItem } from "../../apimachinery/errors/field-error.ts";
import { validateToleration } from "../../kinds/core/pod/validation/validate-scheduling.ts";
import { readMembers } from "../go-members.ts";
import { assertConfigurationKind } from "./decode-configuration.ts";
import { decodeTolerations } from "./decode-tolerations.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";

const kind = {
  group: "podtolerationrestriction.admission.k8s.io",
  versions: ["v1alpha1"],
  kind: "Configuration",
} as const;

/** For namespaces whose annotations say nothing. */
export interface ClusterTolerations {
  readonly default: readonly Decoded<Toleration>[];
  /** Empty: any. */
  readonly whitelist: readonly Decoded<Toleration>[];
}

/** Throws an Error with upstream's message. */
export function parsePodTolerationRestriction(
  given: PluginConfiguration | undefined,
): ClusterTolerations {
  if (!given) return { default: [], whitelist: [] };
  assertConfigurationKind(given, kind);
  const read = readMembers(given.value, "Configuration");
  const list = (field: string): readonly Decoded<Toleration>[] =>
    decodeTolerations(read.objects(field, "v1.Toleration"), `Toleration.${field}`);
  const parsed = { default: list("default"), whitelist: list("whitelist") };
  const errors = (["default", "whitelist"] as const).flatMap((field) =>
    eachItem(parsed[field], `podtolerationrestriction.${field}`, validateToleration),
  );
  if (errors.length) throw new Error(`invalid config: [${errors.map(formatFieldError).join(" ")}]`);
  return parsed;
}
