// Defaults of Jobs and of the templates of CronJobs.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/v1/{defaults.go,zz_generated.defaults.go}.
import type { JsonObject } from "homeostat/api";
import { setPodTemplateDefaults } from "../core/pod/pod-template.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  setIfEmpty,
  setIfNil,
  objectAt,
} from "../../apimachinery/meta/read-fields.ts";

const mostInt32 = 2147483647;

/** What a Job gets in full. */
export function setJobSpecDefaults(spec: JsonObject): void {
  setTemplateJobDefaults(spec);
  if (!isSet(spec["completions"]) && !isSet(spec["parallelism"])) spec["completions"] = 1;
  setIfNil(spec, "parallelism", 1);
  setIfNil(spec, "backoffLimit", isSet(spec["backoffLimitPerIndex"]) ? mostInt32 : 6);
  setIfNil(spec, "completionMode", "NonIndexed");
  setIfNil(spec, "suspend", false);
  setIfNil(
    spec,
    "podReplacementPolicy",
    isSet(spec["podFailurePolicy"]) ? "Failed" : "TerminatingOrFailed",
  );
  setIfNil(spec, "manualSelector", false);
}

/** What the template of a CronJob gets: only what stands deeper. */
export function setTemplateJobDefaults(spec: JsonObject): void {
  setPodTemplateDefaults(mutableAt(spec, "template"));
  for (const rule of itemsAt(objectAt(spec, "podFailurePolicy"), "rules"))
    for (const pattern of itemsAt(rule, "onPodConditions")) setIfEmpty(pattern, "status", "True");
}
