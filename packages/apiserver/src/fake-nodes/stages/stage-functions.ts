// KWOK's template functions. Pure: the environment is an argument.
// Upstream: sigs.k8s.io/kwok/pkg/utils/gotpl/funcs.go,
// pkg/kwok/controllers/{node,pod}_controller.go.
import { stringify } from "yaml";
import { kubernetesVersion } from "../../apimachinery/kubernetes-version.ts";
import type { TemplateFunction } from "./template-expression.ts";

/** The environment of an object, for delays and templates. */
export interface StageEnvironment {
  /** Wall clock, in milliseconds. */
  readonly now: number;
  readonly nodeIp: (node: string) => string;
  /** The address of the pod, allocated on first use. */
  readonly podIp: () => string;
  readonly nodeName: string;
  /** The conditions of a ready node. */
  readonly nodeConditions: () => readonly object[];
}

/** The functions that templates may call. */
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
}: StageEnvironment): Readonly<Record<string, TemplateFunction>> {
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
