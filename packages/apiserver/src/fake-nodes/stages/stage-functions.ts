// The functions that templates of stages may use beside Go's own, as KWOK names them. Pure: what
// they tell is handed in.
// Upstream: sigs.k8s.io/kwok/pkg/utils/gotpl/funcs.go,
// pkg/kwok/controllers/{node,pod}_controller.go.
import { stringify } from "yaml";
import { kubernetesVersion } from "../../apimachinery/kubernetes-version.ts";
import type { TemplateFunction } from "./template-expression.ts";

/** What an object's template may ask about the world. */
export interface StageWorld {
  /** Wall time. */
  readonly now: number;
  readonly nodeIp: (node: string) => string;
  /** The address that a pod has or is to have. */
  readonly podIp: () => string;
  readonly nodeName: string;
  /** Conditions of a node that is well. */
  readonly nodeConditions: () => readonly object[];
}

/** Names that templates may use. */
export const stageFunctionNames: ReadonlySet<string> = new Set([
  "Quote",
  "Now",
  "StartTime",
  "YAML",
  "Version",
  "NodeConditions",
  "NodeIP",
  "NodeName",
  "NodePort",
  "NodeIPWith",
  "PodIP",
  "PodIPWith",
]);

/** The functions, for one rendering. */
export function stageFunctions({
  now,
  nodeIp,
  podIp,
  nodeName,
  nodeConditions,
}: StageWorld): Readonly<Record<string, TemplateFunction>> {
  const time = (): string => new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  return {
    Quote: quote,
    Now: time,
    StartTime: time,
    YAML: (value, indent) => indented(stringify(value), Number(indent ?? 0)),
    Version: () => kubernetesVersion,
    NodeConditions: nodeConditions,
    NodeIP: () => nodeIp(nodeName),
    NodeName: () => nodeName,
    NodePort: () => 10_250,
    NodeIPWith: (node) => nodeIp(String(node)),
    PodIP: podIp,
    PodIPWith: podIp,
  };
}

const quote = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : JSON.stringify(JSON.stringify(value ?? ""));

const indented = (text: string, depth: number): string =>
  depth > 0 ? `\n${text}`.replaceAll("\n", `\n${" ".repeat(depth * 2)}`) : text;
