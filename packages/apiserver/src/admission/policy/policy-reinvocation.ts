// Which mutating policies run in the second pass: those that ask for it and ran before the object
// changed for the last time.
// Upstream:
// k8s.io/apiserver/pkg/admission/plugin/policy/mutating/{dispatcher,reinvocationcontext}.go.
import { cloneJson, equalJson, type JsonObject } from "homeostat/api";
import type { Reinvocation } from "../../apimachinery/rest/admission.ts";

const pluginName = "MutatingAdmissionPolicy";

/** What the policies of one request remember between its passes. */
export class PolicyReinvocation {
  readonly #reinvocation: Reinvocation;
  #output: JsonObject | undefined;
  /** Policies that ran since the last change and may run again. */
  #ran = new Set<string>();
  readonly #again = new Set<string>();

  static of(reinvocation: Reinvocation): PolicyReinvocation {
    const known = reinvocation.memory.get(pluginName) as PolicyReinvocation | undefined;
    const state = known ?? new PolicyReinvocation(reinvocation);
    reinvocation.memory.set(pluginName, state);
    return state;
  }

  private constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  /** In the second pass, other plug-ins may have changed the object. */
  start(object: JsonObject | undefined): void {
    if (this.#reinvocation.pass === "second" && !equalJson(this.#output ?? null, object ?? null))
      this.#repeat();
  }

  /** Whether a policy runs in this pass. */
  runs(key: string): boolean {
    return this.#reinvocation.pass === "first" || this.#again.has(key);
  }

  /** A policy that may run again has run. */
  ran(key: string): void {
    this.#ran.add(key);
  }

  /** A policy has changed the object. */
  changed(): void {
    this.#repeat();
    this.#reinvocation.need();
  }

  finish(object: JsonObject | undefined): void {
    this.#output = object && cloneJson(object);
  }

  #repeat(): void {
    for (const key of this.#ran) this.#again.add(key);
    this.#ran = new Set();
  }
}
