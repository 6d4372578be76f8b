// pods/eviction: deletes a pod unless a PodDisruptionBudget refuses.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go.
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import type { Condition, DeleteOptions } from "homeostat/k8s/meta/v1";
import type {
  Eviction,
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from "homeostat/k8s/policy/v1";
import {
  badRequestError,
  conflictError,
  failure,
  forbiddenError,
  invalidError,
  plainError,
} from "../../../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import type {
  ConnectCheck,
  ConnectHandler,
  ConnectResponse,
  ConnectTools,
} from "../../../../apimachinery/rest/connecter.ts";
import type { DeleteOptions as ParsedDeleteOptions } from "../../../../apimachinery/rest/delete-options.ts";
import type { WriteContext } from "../../../../apimachinery/rest/write-context.ts";
import { isEmptySelector } from "../../../validation/label-selectors.ts";
import { isSet, optionalInt64 } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import {
  labelSelectorAsSelector,
  selectorMatches,
} from "../../../validation/label-selector-as-selector.ts";
import { createdStatus } from "./created-status.ts";
import { setPodCondition } from "./pod-conditions.ts";

const budgets = { group: "policy", resource: "poddisruptionbudgets" } as const;
const maxDisruptedPods = 2000;
const policies = ["Foreground", "Background", "Orphan"];
const clusterBreaking = "ignoreStoreReadErrorWithClusterBreakingPotential";
const notForEvictions = "can not be set for pod eviction, try after removing the option";
const violated = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Refuses an eviction of another name, and options that evictions do not have. */
export const checkEviction: ConnectCheck = (eviction: Decoded<Eviction>, { name, dryRun }) => {
  if ((eviction.metadata?.name ?? "") !== name)
    throw badRequestError("name in URL does not match name in Eviction object");
  if (eviction.deleteOptions?.[clusterBreaking] === true)
    throw invalidError({ group: "policy", kind: "Eviction" }, name, [
      fieldError.invalid(`deleteOptions.${clusterBreaking}`, true, notForEvictions),
    ]);
  const own = eviction.deleteOptions?.dryRun ?? [];
  if (dryRun && own.length > 0 && (own.length > 1 || own[0] !== "All"))
    throw plainError(
      `Non-matching dry-run options in request and content: [All] and [${own.join(" ")}]`,
    );
};

/** Evicts the pod. Responds with a Status. */
export const evictPod: ConnectHandler = async (
  pod: Decoded<Pod>,
  eviction: Decoded<Eviction>,
  context,
  tools,
) => {
  const given = eviction.deleteOptions ?? {};
  const options = deleteOptionsOf(given, context);
  const phase = pod.status?.phase ?? "";
  const ignoresBudgets =
    ["Succeeded", "Failed", "Pending"].includes(phase) || isSet(metadataOf(pod).deletionTimestamp);
  if (!ignoresBudgets) {
    const refusal = await checkBudgets(pod, context, tools, options.dryRun);
    if (refusal) return refusal;
  }
  if (!options.dryRun)
    await tools.overwrite((live) => markIfUnchanged(live, options, context), { dryRun: false });
  const errors = optionErrors(given);
  if (errors.length > 0)
    throw invalidError({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  // The condition has changed resourceVersion, which markIfUnchanged has compared.
  await tools.remove(options.dryRun ? options : { ...options, resourceVersion: undefined });
  return createdStatus();
};

/** Marks the pod unless a precondition fails, which throws 409. Empty preconditions hold. */
function markIfUnchanged(
  pod: Decoded<Pod>,
  { uid, resourceVersion }: ParsedDeleteOptions,
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
    throw conflictError({ group: "", resource: "Pod" }, metadataOf(pod).name ?? "", why);
  };
  compare("UID", uid, metadataOf(pod).uid ?? "", "deleted and then recreated");
  compare("ResourceVersion", resourceVersion, metadataOf(pod).resourceVersion ?? "", "modified");
  markDisrupted(pod, context);
}

/** Sets the condition that says why the pod is deleted. */
function markDisrupted(pod: Decoded<Pod>, { now }: WriteContext): void {
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
function deleteOptionsOf(
  options: Decoded<DeleteOptions>,
  { dryRun }: WriteContext,
): ParsedDeleteOptions {
  const preconditions = options.preconditions ?? {};
  return {
    gracePeriodSeconds: optionalInt64(options.gracePeriodSeconds),
    uid: preconditions.uid ?? undefined,
    resourceVersion: preconditions.resourceVersion ?? undefined,
    orphanDependents: options.orphanDependents ?? undefined,
    propagationPolicy: options.propagationPolicy ?? undefined,
    dryRun: dryRun || (options.dryRun ?? []).length > 0,
  };
}

/** Validates the options, which upstream does last. */
function optionErrors(options: Decoded<DeleteOptions>): readonly FieldError[] {
  const policy = options.propagationPolicy ?? undefined;
  const dryRun = options.dryRun ?? [];
  return [
    ...errorIf(policy !== undefined && isSet(options.orphanDependents), () =>
      fieldError.invalid(
        "propagationPolicy",
        policy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    ),
    ...errorIf(policy !== undefined && !policies.includes(policy), () =>
      fieldError.notSupported("propagationPolicy", policy, [...policies, "nil"]),
    ),
    ...errorIf(!dryRun.every((value) => value === "All"), () =>
      fieldError.notSupported("dryRun", [...dryRun], ["All"]),
    ),
  ];
}

/** Throws 429 or 403 when the budget refuses. Returns a failure for a pod with several budgets. */
async function checkBudgets(
  pod: Decoded<Pod>,
  context: WriteContext,
  tools: ConnectTools,
  dryRun: boolean,
): Promise<ConnectResponse | undefined> {
  const covering = tools.list(budgets).filter((budget) => selects(budget, pod));
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
  if (!isReady(pod) && allowsUnhealthy(budget)) return undefined;
  const podName = metadataOf(pod).name ?? "";
  await tools.overwriteOther(
    budgets,
    metadataOf(budget).name ?? "",
    (live) => takeDisruption(live, podName, context),
    { dryRun },
  );
  return undefined;
}

function selects(budget: Decoded<PodDisruptionBudget>, pod: Decoded<Pod>): boolean {
  const selector = budget.spec?.selector;
  if (!selector) return false;
  if (isEmptySelector(selector)) return true;
  const chosen = labelSelectorAsSelector(selector);
  return chosen !== undefined && selectorMatches(chosen, metadataOf(pod).labels ?? {});
}

function isReady(pod: Decoded<Pod>): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
}

/** Whether pods that are not ready may go whatever the budget allows. */
function allowsUnhealthy(budget: Decoded<PodDisruptionBudget>): boolean {
  const status = budget.status ?? {};
  if (budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return (
    (status.desiredHealthy ?? 0) > 0 && (status.currentHealthy ?? 0) >= (status.desiredHealthy ?? 0)
  );
}

/** Records the disruption in the budget's status. Throws when it allows none. */
function takeDisruption(
  budget: Decoded<PodDisruptionBudget>,
  podName: string,
  { now }: WriteContext,
): void {
  const name = metadataOf(budget).name ?? "";
  const status = budget.status ?? {};
  const allowed = status.disruptionsAllowed ?? 0;
  const disrupted = status.disruptedPods ?? {};
  if (Number(status.observedGeneration ?? 0) < Number(metadataOf(budget).generation ?? 0))
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
  if (Object.keys(disrupted).length > maxDisruptedPods)
    throw forbiddenError(
      { group: "policy", resource: "poddisruptionbudget" },
      name,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    );
  if (allowed === 0) throw tooManyRequests(0, refusalOf(name, status));
  budget.status = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [podName]: now },
    ...(allowed === 1
      ? {
          conditions: withInsufficientPods(
            status.conditions ?? [],
            Number(status.observedGeneration ?? 0),
            now,
          ),
        }
      : {}),
  };
}

function refusalOf(name: string, status: Decoded<PodDisruptionBudgetStatus>): string {
  const condition = (status.conditions ?? []).find((each) => each.type === "DisruptionAllowed");
  const message = (condition?.status === "False" && condition.message) || "";
  const reason = condition?.reason ?? "";
  const [healthy, desired] = [status.currentHealthy ?? 0, status.desiredHealthy ?? 0];
  if (message && reason === "SyncFailed")
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  if (healthy <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${healthy} currently`;
  return message
    ? `The disruption budget ${name} does not allow evicting pods currently (${reason}): ${message}`
    : `The disruption budget ${name} does not allow evicting pods currently`;
}

function withInsufficientPods(
  conditions: readonly Decoded<Condition>[],
  generation: number,
  now: string,
): Decoded<Condition>[] {
  const old = conditions.find((each) => each.type === "DisruptionAllowed");
  const next: Decoded<Condition> = {
    type: "DisruptionAllowed",
    status: "False",
    ...(generation ? { observedGeneration: generation } : {}),
    lastTransitionTime: old?.status === "False" ? (old.lastTransitionTime ?? now) : now,
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
