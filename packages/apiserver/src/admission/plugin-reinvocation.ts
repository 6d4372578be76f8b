// Which hooks of a mutating plug-in, policies or webhooks, run in the second pass: those that ask
// for it and ran before the object changed for the last time.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/{policy,webhook}/mutating/{dispatcher,
// reinvocationcontext}.go.
import { cloneJson, equalJson, type JsonObject } from "homeostat/api";
import { type AdmissionRequest, Reinvocation } from "../apimachinery/rest/admission.ts";

/** What the hooks of one plug-in remember of a request between its passes. */
export class PluginReinvocation {
  readonly #reinvocation: Reinvocation;
  /** The object after the first pass, where a hook may run again. */
  #output: JsonObject | undefined;
  /** Hooks that ran since the last change and may run again. */
  #ran = new Set<string>();
  readonly #again = new Set<string>();

  static of({ reinvocation }: AdmissionRequest, plugin: string): PluginReinvocation {
    const known = reinvocation?.memory.get(plugin) as PluginReinvocation | undefined;
    const state = known ?? new PluginReinvocation(reinvocation ?? new Reinvocation());
    reinvocation?.memory.set(plugin, state);
    return state;
  }

  private constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  /** In the second pass, other plug-ins may have changed the object. */
  start(object: JsonObject | undefined): void {
    if (this.#ran.size === 0 || this.#reinvocation.pass === "first") return;
    if (!equalJson(this.#output ?? null, object ?? null)) this.#repeat();
  }

  /** Whether a hook runs in this pass. */
  runs(key: string): boolean {
    return this.#reinvocation.pass === "first" || this.#again.has(key);
  }

  /** A hook that may run again has run. */
  ran(key: string): void {
    this.#ran.add(key);
  }

  /** A hook has changed the object. */
  changed(): void {
    this.#repeat();
    this.#reinvocation.need();
  }

  /** The object as the hooks have left it in this pass. */
  finish(object: JsonObject | undefined): void {
    if (this.#ran.size > 0) this.#output = object && cloneJson(object);
  }

  #repeat(): void {
    for (const key of this.#ran) this.#again.add(key);
    this.#ran = new Set();
  }
}
