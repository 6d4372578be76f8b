// Warnings about workloads.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go (GetWarningsForPodTemplate),
// pkg/registry/apps/*/strategy.go (WarningsOnCreate, WarningsOnUpdate).
import { dnsLabelFaults } from "homeostat/api";
import type { DecodedObject } from "../../../apimachinery/meta/read-meta.ts";
import { podTemplateWarnings } from "../pod/warnings/pod-warnings.ts";
import { templateOf, type Workload } from "./workload.ts";

/** A name that is no DNS label makes invalid host names. */
export function nameWarnings({ metadata }: DecodedObject): string[] {
  const faults = dnsLabelFaults(metadata?.name ?? "");
  return faults.length
    ? [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
      ]
    : [];
}

/** Warnings about the pod template. */
export const templateWarnings = (workload: Workload): string[] =>
  podTemplateWarnings(templateOf(workload), "spec.template");

/** Warnings about the pod template of a workload whose generation has changed. */
export const changedTemplateWarnings = (workload: Workload, old: Workload): string[] =>
  generationChanged(workload, old) ? templateWarnings(workload) : [];

/** Whether an update has changed the generation. */
export const generationChanged = (object: DecodedObject, old: DecodedObject): boolean =>
  Number(object.metadata?.generation ?? 0) !== Number(old.metadata?.generation ?? 0);
