// The controller of PodDisruptionBudgets: counts their pods and computes how many may be evicted.
// Upstream: k8s.io/kubernetes/pkg/controller/disruption/disruption.go.
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { isConflict, matchesLabels, parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import { eventsAbout, type ObjectEvents } from "../../component-helpers/controller/events-about.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { Pod } from "homeostat/k8s/core/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { type PodDisruptionBudgetStatus, PodDisruptionBudget } from "homeostat/k8s/policy/v1";
import { ControllerScales } from "./controller-scales.ts";
import {
  countHealthy,
  desiredHealthy,
  disruptedPods,
  failedStatus,
  needsScale,
  nextStatus,
  printSelector,
} from "./disruption-budget.ts";
import { startStaleConditions } from "./stale-conditions.ts";

const unmanagedHint =
  "were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
  'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';

/** Starts `disruption`. */
export const start: Start = async (context) => {
  const parts = [new DisruptionController(context), startStaleConditions(context)];
  return { stop: async () => void (await Promise.all(parts.map((part) => part.stop()))) };
};

class DisruptionController extends KeyedController {
  readonly #recorder = this.createRecorder("controllermanager");
  readonly #scales = new ControllerScales(this.context, this);
  readonly #budgets = this.acquire(PodDisruptionBudget);
  readonly #pods = this.acquire(Pod);

  constructor(context: ControllerContext) {
    super(context, "the disruption controller");
    const enqueueBudgets = (pod: CachedObject<Pod>): void => this.#podChanged(pod.read());
    this.followKeys(this.#budgets);
    this.follow(this.#pods, {
      added: enqueueBudgets,
      updated: (_, pod) => enqueueBudgets(pod),
      deleted: enqueueBudgets,
    });
    this.start((key) => this.#sync(key));
  }

  #podChanged(pod: Pod): void {
    const { namespace, name, labels = {} } = pod.metadata;
    const covering = this.#budgets.list({ namespace }).filter(({ spec }) => {
      const selector = toSelector(spec.selector);
      return selector !== undefined && matchesLabels(selector, labels);
    });
    const [first] = covering;
    if (covering.length > 1 && first)
      this.#eventsAboutPod(pod).warning(
        "MultiplePodDisruptionBudgets",
        `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`,
      );
    for (const budget of covering) this.add(keyFor(budget));
  }

  async #sync(key: string): Promise<number | undefined> {
    const budget = this.#budgets.get(parseObjectKey(key));
    if (!budget) return undefined;
    try {
      return await this.#count(budget);
    } catch (error) {
      if (isConflict(error)) throw error;
      const message = reasonOf(error);
      await this.#write(budget, failedStatus(budget, message, this.context.runtime.clock.now()));
      return undefined;
    }
  }

  async #count(budget: PodDisruptionBudget): Promise<number | undefined> {
    const { selector } = budget.spec;
    const requirements = toSelector(selector);
    const pods = requirements
      ? this.#pods
          .list({ namespace: budget.metadata.namespace })
          .filter(({ metadata }) => matchesLabels(requirements, metadata.labels ?? {}))
      : [];
    if (pods.length === 0) this.#eventsAbout(budget).normal("NoPods", "No matching pods found");
    const { count: expected, unmanaged } = needsScale(budget)
      ? await this.#askScales(budget, pods)
      : { count: budget.spec.minAvailable === undefined ? 0 : pods.length, unmanaged: [] };
    if (unmanaged.length > 0)
      this.#eventsAbout(budget).warning(
        "UnmanagedPods",
        `Pods selected by this PodDisruptionBudget (selector: ${printSelector(selector!)}) ${unmanagedHint}`,
      );
    const now = this.context.runtime.clock.now();
    const disrupted = disruptedPods(budget, pods, now);
    const { namespace } = budget.metadata;
    for (const pod of disrupted.overdue)
      this.#eventsAboutPod(pod).warning(
        "NotDeleted",
        `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`,
      );
    const findings = {
      healthy: countHealthy(pods, disrupted, now),
      desired: desiredHealthy(budget, expected),
      expected,
      disrupted: disrupted.pods,
      now,
    };
    const status = nextStatus(budget, findings);
    if (status) await this.#write(budget, status);
    return disrupted.recheckInMs;
  }

  async #askScales(
    budget: PodDisruptionBudget,
    pods: readonly Pod[],
  ): ReturnType<ControllerScales["expected"]> {
    try {
      return await this.#scales.expected(pods);
    } catch (error) {
      const message = reasonOf(error);
      this.#eventsAbout(budget).warning(
        "CalculateExpectedPodCountFailed",
        `Failed to calculate the number of expected pods: ${message}`,
      );
      throw error;
    }
  }

  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Promise<void> {
    await this.context.client.update(
      PodDisruptionBudget,
      { ...budget, status },
      { subresource: "status" },
    );
  }

  #eventsAbout(budget: PodDisruptionBudget): ObjectEvents {
    return eventsAbout(this.#recorder, PodDisruptionBudget, budget);
  }

  #eventsAboutPod(pod: Pod): ObjectEvents {
    return eventsAbout(this.#recorder, Pod, pod);
  }
}
