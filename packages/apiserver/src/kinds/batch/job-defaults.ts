// Defaults of Jobs and of the templates of CronJobs.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/v1/{defaults.go,zz_generated.defaults.go}.
import type { Decoded } from "homeostat/api";
import type { JobSpec } from "homeostat/k8s/batch/v1";
import { setPodTemplateDefaults } from "../core/pod/pod-template-spec.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";

const mostInt32 = 2147483647;

/** Sets the defaults of a Job. Upstream: SetDefaults_Job. */
export function setJobSpecDefaults(spec: Decoded<JobSpec>): void {
  setTemplateJobDefaults(spec);
  if (!isSet(spec.completions) && !isSet(spec.parallelism)) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= isSet(spec.backoffLimitPerIndex) ? mostInt32 : 6;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= isSet(spec.podFailurePolicy) ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
}

/** Sets the defaults of nested fields only, as for the template of a CronJob. */
export function setTemplateJobDefaults(spec: Decoded<JobSpec>): void {
  setPodTemplateDefaults(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
}
