// The configuration of PodNodeSelector: the default node selector, and those that the pods of a
// namespace may have. Pure.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podnodeselector/admission.go (readConfig).
import { isObject } from "homeostat/api";
import type { PluginConfiguration } from "./plugin-configuration.ts";

/** Selectors by namespace; the default is that of `clusterDefaultNodeSelector`. */
export type NodeSelectors = Readonly<Record<string, string>>;

/** As upstream, what cannot be decoded counts as absent. */
export function parsePodNodeSelector(given: PluginConfiguration | undefined): NodeSelectors {
  const selectors = given?.value["podNodeSelectorPluginConfig"];
  if (!isObject(selectors)) return {};
  const texts = Object.entries(selectors).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
