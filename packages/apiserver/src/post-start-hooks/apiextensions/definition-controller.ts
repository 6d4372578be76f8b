// Keeps definitions going: accepts their names, establishes them, puts what they define into the
// catalog, and clears their custom resources away when they are deleted. One worker, one definition
// at a time.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,finalizer,apiapproval}.
// Upstream waits five seconds before it establishes, for other API servers to notice the names; one
// server alone need not.
import { cloneJson, type JsonObject } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { Handler } from "../../apimachinery/handler.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { MutableCatalog } from "../../kinds/catalog.ts";
import { acceptNames, establish } from "./accept-names.ts";
import { type LoopbackClient, createLoopbackClient } from "../loopback-client.ts";
import { approvalCondition } from "../../kinds/apiextensions/api-approval.ts";
import { cleanupFinalizer } from "../../kinds/apiextensions/custom-resource-definition.ts";
import {
  type Definition,
  type DefinitionCondition,
  definitionOf,
  isConditionTrue,
} from "../../kinds/apiextensions/definition.ts";
import { removeInstances } from "./remove-instances.ts";
import { setCondition } from "../../kinds/apiextensions/set-condition.ts";

/** What the upkeep of definitions works with. */
export interface DefinitionControllerOptions {
  readonly handler: Handler;
  readonly catalog: MutableCatalog;
  readonly runtime: Runtime;
  readonly createResources: (definition: JsonObject) => readonly ServedResource[];
  /** Told once about a definition that keeps failing. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** The upkeep of definitions. Commits may be reported before it is started. */
export interface DefinitionController {
  /**
   * To be called after every commit to a definition: serving changes at once, conditions follow
   * soon.
   */
  committed(object: JsonObject | null, old: JsonObject | null): void;
  /**
   * Takes up what is stored already, and starts to write. Resolves once stored definitions are
   * served.
   */
  start(options: DefinitionControllerOptions): Promise<void>;
  stop(): void;
}

const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const firstRetryMs = 50;
const lastRetryMs = 5000;
/** Failures in a row after which somebody is told. */
const tellAfter = 10;

export function createDefinitionController(): DefinitionController {
  return new Controller();
}

class Controller implements DefinitionController {
  /** Definitions as last committed, by name. */
  readonly #known = new Map<string, JsonObject>();
  readonly #queue = new Set<string>();
  /** How often in a row each has failed. */
  readonly #failures = new Map<string, number>();
  /**
   * What definitions serve, by name; it stays the same object while nothing that it is made from
   * changes.
   */
  readonly #made = new Map<
    string,
    { readonly from: string; readonly resources: readonly ServedResource[] }
  >();
  #options: DefinitionControllerOptions | undefined;
  #call: LoopbackClient | undefined;
  #working = false;

  committed(object: JsonObject | null, old: JsonObject | null): void {
    const definition = object ?? old;
    if (!definition) return;
    const { name } = definitionOf(definition).metadata;
    // Whoever wrote may go on with what it wrote.
    const known = object && cloneJson(object);
    if (known) this.#known.set(name, known);
    else this.#known.delete(name);
    this.#serve(name, known);
    if (object) this.#enqueue(name);
    else this.#enqueueGroup(definitionOf(definition), name);
  }

  async start(options: DefinitionControllerOptions): Promise<void> {
    this.#options = options;
    this.#call = createLoopbackClient(options.handler);
    const { object } = await this.#call("GET", root);
    const items = Array.isArray(object["items"]) ? (object["items"] as JsonObject[]) : [];
    for (const item of items)
      this.committed(
        { ...item, apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
        null,
      );
    for (const [name, definition] of this.#known) this.#serve(name, definition);
    this.#wake();
  }

  stop(): void {
    this.#options = undefined;
    this.#queue.clear();
  }

  #serve(name: string, object: JsonObject | null): void {
    if (!this.#options) return;
    const definition = object && definitionOf(object);
    const served =
      definition &&
      (isConditionTrue(definition, "NamesAccepted") || isConditionTrue(definition, "Established"));
    if (!object) this.#made.delete(name);
    this.#options.catalog.serve(name, served ? this.#resourcesOf(name, object, this.#options) : []);
  }

  /**
   * Most commits change conditions only: what hangs on a resource (field managers, documents,
   * views) then lives on.
   */
  #resourcesOf(
    name: string,
    object: JsonObject,
    { createResources }: DefinitionControllerOptions,
  ): readonly ServedResource[] {
    const { metadata, status } = definitionOf(object);
    const from = JSON.stringify([
      metadata.uid,
      metadata.generation,
      isConditionTrue(definitionOf(object), "Terminating"),
      status.acceptedNames,
    ]);
    const made = this.#made.get(name);
    if (made?.from === from) return made.resources;
    const resources = createResources(object);
    this.#made.set(name, { from, resources });
    return resources;
  }

  #enqueueGroup({ spec }: Definition, except: string): void {
    for (const [name, object] of this.#known)
      if (name !== except && definitionOf(object).spec.group === spec.group) this.#enqueue(name);
  }

  #enqueue(name: string): void {
    this.#queue.add(name);
    this.#wake();
  }

  #wake(): void {
    if (this.#working || !this.#options || !this.#queue.size) return;
    this.#working = true;
    this.#options.runtime.defer(() => void this.#work());
  }

  async #work(): Promise<void> {
    for (const name of this.#queue) {
      this.#queue.delete(name);
      const options = this.#options;
      if (!options) break;
      let error: unknown;
      const outcome = await this.#sync(name, options).catch(
        (reason: unknown) => ((error = reason), "again" as const),
      );
      if (outcome === "again") this.#retry(name, options, error);
      else this.#failures.delete(name);
    }
    this.#working = false;
    this.#wake();
  }

  #retry(name: string, { runtime, warn }: DefinitionControllerOptions, error: unknown): void {
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    if (failures === tellAfter)
      warn?.(`the upkeep of CustomResourceDefinition ${name} keeps failing`, error);
    runtime.clock.timer(Math.min(firstRetryMs * 2 ** (failures - 1), lastRetryMs), () =>
      this.#enqueue(name),
    );
  }

  /** One step; each write is reported as a commit and so brings the next. */
  async #sync(name: string, options: DefinitionControllerOptions): Promise<"done" | "again"> {
    const object = this.#known.get(name);
    if (!object) return "done";
    const definition = definitionOf(object);
    const now = nowOf(options.runtime);
    if (
      definition.metadata.deletionTimestamp &&
      definition.metadata.finalizers?.includes(cleanupFinalizer)
    )
      return this.#finalize(object, options);
    const naming = acceptNames(definition, this.#groupOf(definition), now);
    if (naming) {
      await this.#writeStatus(object, naming);
      this.#enqueueGroup(definition, name);
      return "done";
    }
    const established = establish(definition, now);
    if (established) return this.#writeStatus(object, { conditions: established });
    const approval = approvalCondition(definition);
    if (!approval || isSaid(definition, approval)) return "done";
    return this.#writeStatus(object, {
      conditions: setCondition(definition.status.conditions ?? [], approval, now),
    });
  }

  #groupOf({ spec }: Definition): readonly Definition[] {
    return [...this.#known.values()]
      .map(definitionOf)
      .filter((each) => each.spec.group === spec.group);
  }

  /** Writes through /status; a lost race is fine, since what won it is reported as well. */
  async #writeStatus(
    object: JsonObject,
    change: object,
    metadata: object = {},
  ): Promise<"done" | "again"> {
    const { name } = definitionOf(object).metadata;
    const body = {
      ...object,
      metadata: { ...definitionOf(object).metadata, ...metadata },
      status: { ...definitionOf(object).status, ...change },
    } as unknown as JsonObject;
    const { status } = await this.#call!("PUT", `${root}/${name}/status`, body);
    return status < 300 || status === 404 || status === 409 ? "done" : "again";
  }

  async #finalize(
    object: JsonObject,
    options: DefinitionControllerOptions,
  ): Promise<"done" | "again"> {
    const definition = definitionOf(object);
    const progress: DefinitionCondition = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    };
    if (!isSaid(definition, progress)) return this.#writeTerminating(object, progress, options);
    if (!isConditionTrue(definition, "Established"))
      return this.#release(
        object,
        { reason: "NeverEstablished", message: "resource was never established" },
        options,
      );
    const { name } = definition.metadata;
    if (!this.#servesAnything(definition, options))
      options.catalog.serve(name, options.createResources(servedEverywhere(object)));
    if (!(await removeInstances(definition, this.#call!))) return "again";
    return this.#release(
      object,
      { reason: "InstanceDeletionCompleted", message: "removed all instances" },
      options,
    );
  }

  #servesAnything({ spec }: Definition, { catalog }: DefinitionControllerOptions): boolean {
    return (spec.versions ?? []).some((version) =>
      catalog.find(spec.group ?? "", version.name, spec.names?.plural ?? ""),
    );
  }

  #release(
    object: JsonObject,
    outcome: Pick<DefinitionCondition, "reason" | "message">,
    options: DefinitionControllerOptions,
  ): Promise<"done" | "again"> {
    const finalizers = (definitionOf(object).metadata.finalizers ?? []).filter(
      (finalizer) => finalizer !== cleanupFinalizer,
    );
    return this.#writeTerminating(
      object,
      { type: "Terminating", status: "False", ...outcome },
      options,
      { finalizers },
    );
  }

  #writeTerminating(
    object: JsonObject,
    condition: DefinitionCondition,
    { runtime }: DefinitionControllerOptions,
    metadata: object = {},
  ): Promise<"done" | "again"> {
    return this.#writeStatus(
      object,
      {
        conditions: setCondition(
          definitionOf(object).status.conditions ?? [],
          condition,
          nowOf(runtime),
        ),
      },
      metadata,
    );
  }
}

const nowOf = (runtime: Runtime): string =>
  `${new Date(runtime.clock.now()).toISOString().slice(0, 19)}Z`;

function isSaid(
  definition: Definition,
  { type, status, reason, message }: DefinitionCondition,
): boolean {
  const old = definition.status.conditions?.find((each) => each.type === type);
  return old?.status === status && old.reason === reason && old.message === message;
}

/**
 * For definitions that serve no version: their instances are still stored and must be reached once
 * more.
 */
function servedEverywhere(object: JsonObject): JsonObject {
  const { spec } = definitionOf(object);
  return {
    ...object,
    spec: {
      ...spec,
      versions: (spec.versions ?? []).map((version) => ({ ...version, served: true })),
    },
  } as unknown as JsonObject;
}
