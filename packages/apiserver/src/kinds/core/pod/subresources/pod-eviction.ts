// pods/eviction: a delete that disruption budgets may refuse.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go.
import type { JsonObject } from "homeostat/api";
import {
  badRequestError,
  conflictError,
  failure,
  forbiddenError,
  invalidError,
  plainError,
} from "../../../../apimachinery/errors/api-errors.ts";
import {
  type FieldError,
  invalid,
  notSupported,
} from "../../../../apimachinery/errors/field-error.ts";
import type {
  ConnectCheck,
  ConnectHandler,
  ConnectTools,
} from "../../../../apimachinery/rest/connecter.ts";
import type { DeleteOptions } from "../../../../apimachinery/rest/delete-options.ts";
import type { WriteContext } from "../../../../apimachinery/rest/write-context.ts";
import { isEmptySelector } from "../../../validation/label-selectors.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  optionalTextAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import {
  labelSelectorAsSelector,
  selectorMatches,
} from "../../../validation/label-selector-as-selector.ts";
import { setPodCondition } from "../pod-conditions.ts";

const budgets = { group: "policy", resource: "poddisruptionbudgets" } as const;
const mostDisrupted = 2000;
const policies = ["Foreground", "Background", "Orphan"];
const clusterBreaking = "ignoreStoreReadErrorWithClusterBreakingPotential";
const notForEvictions = "can not be set for pod eviction, try after removing the option";
const violated = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Refuses an eviction of something else, and one option of deletes. */
export const checkEviction: ConnectCheck = (eviction, { name }) => {
  if (stringAt(objectAt(eviction, "metadata"), "name") !== name)
    throw badRequestError("name in URL does not match name in Eviction object");
  if (objectAt(eviction, "deleteOptions")[clusterBreaking] !== true) return;
  throw invalidError({ group: "policy", kind: "Eviction" }, name, [
    invalid(`deleteOptions.${clusterBreaking}`, true, notForEvictions),
  ]);
};

/** Evicts; the answer is a bare success. */
export const evictPod: ConnectHandler = async (pod, eviction, context, tools) => {
  const given = objectAt(eviction, "deleteOptions");
  const options = deleteOptionsOf(given, context);
  const phase = stringAt(objectAt(pod, "status"), "phase");
  const isFree =
    ["Succeeded", "Failed", "Pending"].includes(phase) ||
    isSet(metadataOf(pod)["deletionTimestamp"]);
  if (!isFree) {
    const refusal = await askBudgets(pod, context, tools, options.dryRun);
    if (refusal) return refusal;
  }
  if (!options.dryRun)
    await tools.overwrite((live) => markMeant(live, options, context), { dryRun: false });
  const errors = optionErrors(given);
  if (errors.length > 0)
    throw invalidError({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  // The mark has changed the version that the options may name; it was compared before.
  await tools.remove(options.dryRun ? options : { ...options, resourceVersion: undefined });
  return {
    status: 201,
    object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
  };
};

/** Marks the pod if it is the one that the options mean; empty words mean any. Throws 409. */
function markMeant(
  pod: JsonObject,
  { uid, resourceVersion }: DeleteOptions,
  context: WriteContext,
): void {
  const compare = (
    what: string,
    given: string | undefined,
    found: string,
    otherwise: string,
  ): void => {
    if (!given || given === found) return;
    const why = `the ${what} in the precondition (${given}) does not match the ${what} in record (${found}). The object might have been ${otherwise}`;
    throw conflictError({ group: "", resource: "Pod" }, stringAt(metadataOf(pod), "name"), why);
  };
  compare("UID", uid, stringAt(metadataOf(pod), "uid"), "deleted and then recreated");
  compare(
    "ResourceVersion",
    resourceVersion,
    stringAt(metadataOf(pod), "resourceVersion"),
    "modified",
  );
  markDisrupted(pod, context);
}

/** The pod says why it goes. */
function markDisrupted(pod: JsonObject, { now }: WriteContext): void {
  setPodCondition(
    pod,
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    },
    now,
  );
}

/** The options in the body of an eviction. */
function deleteOptionsOf(options: JsonObject, { dryRun }: WriteContext): DeleteOptions {
  const preconditions = objectAt(options, "preconditions");
  const own = textsAt(options, "dryRun");
  if (dryRun && own.length > 0 && (own.length > 1 || own[0] !== "All"))
    throw plainError(
      `Non-matching dry-run options in request and content: [All] and [${own.join(" ")}]`,
    );
  return {
    gracePeriodSeconds: optionalNumberAt(options, "gracePeriodSeconds"),
    uid: optionalTextAt(preconditions, "uid"),
    resourceVersion: optionalTextAt(preconditions, "resourceVersion"),
    orphanDependents:
      typeof options["orphanDependents"] === "boolean" ? options["orphanDependents"] : undefined,
    propagationPolicy: optionalTextAt(options, "propagationPolicy"),
    dryRun: dryRun || own.length > 0,
  };
}

/** What is wrong with the options; upstream looks when everything else is done. */
function optionErrors(options: JsonObject): readonly FieldError[] {
  const policy = optionalTextAt(options, "propagationPolicy");
  const dryRun = textsAt(options, "dryRun");
  return [
    ...(policy !== undefined && typeof options["orphanDependents"] === "boolean"
      ? [
          invalid(
            "propagationPolicy",
            policy,
            "orphanDependents and deletionPropagation cannot be both set",
          ),
        ]
      : []),
    ...(policy !== undefined && !policies.includes(policy)
      ? [notSupported("propagationPolicy", policy, [...policies, "nil"])]
      : []),
    ...(dryRun.every((value) => value === "All")
      ? []
      : [notSupported("dryRun", [...dryRun], ["All"])]),
  ];
}

/** Throws what a budget refuses; a pod under several cannot be judged. */
async function askBudgets(
  pod: JsonObject,
  context: WriteContext,
  tools: ConnectTools,
  dryRun: boolean,
): Promise<{ readonly status: number; readonly object: JsonObject } | undefined> {
  const covering = tools.list(budgets).filter((budget) => covers(budget, pod));
  const [budget, second] = covering;
  if (!budget) return undefined;
  if (second)
    return {
      status: 500,
      object: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        code: 500,
      },
    };
  if (!isReady(pod) && isUnhealthyFree(budget)) return undefined;
  const podName = stringAt(metadataOf(pod), "name");
  await tools.overwriteOther(
    budgets,
    stringAt(metadataOf(budget), "name"),
    (live) => takeDisruption(live, podName, context),
    { dryRun },
  );
  return undefined;
}

function covers(budget: JsonObject, pod: JsonObject): boolean {
  const selector = mutableAt(objectAt(budget, "spec"), "selector");
  const chosen = labelSelectorAsSelector(selector);
  return selector !== undefined && !isEmptySelector(selector)
    ? chosen !== undefined && selectorMatches(chosen, textMapAt(metadataOf(pod), "labels"))
    : selector !== undefined;
}

function isReady(pod: JsonObject): boolean {
  return itemsAt(objectAt(pod, "status"), "conditions").some(
    (condition) =>
      stringAt(condition, "type") === "Ready" && stringAt(condition, "status") === "True",
  );
}

function isUnhealthyFree(budget: JsonObject): boolean {
  const status = objectAt(budget, "status");
  if (stringAt(objectAt(budget, "spec"), "unhealthyPodEvictionPolicy") === "AlwaysAllow")
    return true;
  return (
    numberAt(status, "desiredHealthy") > 0 &&
    numberAt(status, "currentHealthy") >= numberAt(status, "desiredHealthy")
  );
}

/** Counts the disruption, or throws why there is none left. */
function takeDisruption(budget: JsonObject, podName: string, { now }: WriteContext): void {
  const name = stringAt(metadataOf(budget), "name");
  const status = objectAt(budget, "status");
  const allowed = numberAt(status, "disruptionsAllowed");
  const disrupted = objectAt(status, "disruptedPods");
  if (numberAt(status, "observedGeneration") < numberAt(metadataOf(budget), "generation"))
    throw tooManyRequests(
      10,
      `The disruption budget ${name} is still being processed by the server.`,
    );
  if (allowed < 0)
    throw forbiddenError(
      { group: "policy", resource: "poddisruptionbudget" },
      name,
      "pdb disruptions allowed is negative",
    );
  if (Object.keys(disrupted).length > mostDisrupted)
    throw forbiddenError(
      { group: "policy", resource: "poddisruptionbudget" },
      name,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    );
  if (allowed === 0) throw tooManyRequests(0, whyNone(name, status));
  budget["status"] = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [podName]: now },
    ...(allowed === 1
      ? {
          conditions: withNoneLeft(
            itemsAt(status, "conditions"),
            numberAt(status, "observedGeneration"),
            now,
          ),
        }
      : {}),
  };
}

function whyNone(name: string, status: JsonObject): string {
  const condition = itemsAt(status, "conditions").find(
    (each) => stringAt(each, "type") === "DisruptionAllowed",
  );
  const message =
    condition && stringAt(condition, "status") === "False" ? stringAt(condition, "message") : "";
  const reason = condition ? stringAt(condition, "reason") : "";
  const [healthy, desired] = [
    numberAt(status, "currentHealthy"),
    numberAt(status, "desiredHealthy"),
  ];
  if (message && reason === "SyncFailed")
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  if (healthy <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${healthy} currently`;
  return message
    ? `The disruption budget ${name} does not allow evicting pods currently (${reason}): ${message}`
    : `The disruption budget ${name} does not allow evicting pods currently`;
}

function withNoneLeft(
  conditions: readonly JsonObject[],
  generation: number,
  now: string,
): JsonObject[] {
  const old = conditions.find((each) => stringAt(each, "type") === "DisruptionAllowed");
  const next = {
    type: "DisruptionAllowed",
    status: "False",
    ...(generation ? { observedGeneration: generation } : {}),
    lastTransitionTime:
      old && stringAt(old, "status") === "False" ? (old["lastTransitionTime"] ?? now) : now,
    reason: "InsufficientPods",
    message: "",
  };
  return old ? conditions.map((each) => (each === old ? next : each)) : [...conditions, next];
}

function tooManyRequests(retryAfterSeconds: number, cause: string): Error {
  return failure(429, "TooManyRequests", violated, {
    causes: [{ reason: "DisruptionBudget", message: cause }],
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });
}
