// Deprecated labels of nodes.
// Upstream: k8s.io/kubernetes/pkg/api/node/util.go.
import type { Decoded } from "homeostat/api";
import type { LabelSelector } from "homeostat/k8s/meta/v1";
import { eachItem } from "../../apimachinery/errors/field-error.ts";

const messages: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    "failure-domain.beta.kubernetes.io/region",
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    "failure-domain.beta.kubernetes.io/zone",
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    "beta.kubernetes.io/instance-type",
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  [
    "scheduler.alpha.kubernetes.io/preferAvoidPods",
    "deprecated since v1.22; use Taints and Tolerations instead",
  ],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The warning about a deprecated label, e.g. `deprecated since v1.9`. */
export const nodeLabelMessage = (key: string): string | undefined => messages.get(key);

/** Warnings for a label selector on nodes. */
export function nodeSelectorWarnings(selector: Decoded<LabelSelector>, path: string): string[] {
  const expressions = eachItem(
    selector.matchExpressions,
    `${path}.matchExpressions`,
    ({ key }, at) => {
      const message = nodeLabelMessage(key ?? "");
      return message ? [`${at}.key: ${key} is ${message}`] : [];
    },
  );
  const labels = Object.keys(selector.matchLabels ?? {}).flatMap((key) => {
    const message = nodeLabelMessage(key);
    return message ? [`${path}.matchLabels.${key}: ${message}`] : [];
  });
  return [...expressions, ...labels];
}
