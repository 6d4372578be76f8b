// Labels of nodes that have other names by now.
// Upstream: k8s.io/kubernetes/pkg/api/node/util.go.
import type { JsonObject } from "homeostat/api";
import { itemsAt, textMapAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

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

/** What is said of a label; undefined for one that is fine. */
export const nodeLabelMessage = (key: string): string | undefined => messages.get(key);

/** Warnings for a label selector on nodes. */
export function nodeSelectorWarnings(selector: JsonObject, path: string): string[] {
  const expressions = itemsAt(selector, "matchExpressions").flatMap((expression, i) => {
    const message = nodeLabelMessage(stringAt(expression, "key"));
    return message
      ? [`${path}.matchExpressions[${i}].key: ${stringAt(expression, "key")} is ${message}`]
      : [];
  });
  return [
    ...expressions,
    ...Object.keys(textMapAt(selector, "matchLabels")).flatMap((key) =>
      messages.has(key) ? [`${path}.matchLabels.${key}: ${messages.get(key)}`] : [],
    ),
  ];
}
