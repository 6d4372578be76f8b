// The controllers of CustomResourceDefinitions in one: it accepts names, establishes definitions,
// serves the resources that they define, and deletes their custom resources before a definition is
// deleted. One worker, one definition at a time.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,finalizer,apiapproval}.
// Upstream waits five seconds before it establishes, for other API servers to notice the names; one
// server alone need not.
import { cloneJson, type JsonObject } from "homeostat/api";
import { createKeyedWorkers, type KeyedWorkers } from "homeostat/queue";
import type { Runtime, Timer } from "homeostat/runtime";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { isStatusConditionTrue } from "../../apimachinery/meta/conditions.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { approvalCondition } from "../../kinds/apiextensions/validation/api-approval.ts";
import { cleanupFinalizer } from "../../kinds/apiextensions/custom-resource-definition.ts";
import {
  type Definition,
  type DefinitionCondition,
  type DefinitionStatus,
  definitionOf,
  objectOf,
} from "../../kinds/apiextensions/definition/definition.ts";
import { setCondition } from "../../kinds/apiextensions/definition/set-condition.ts";
import type { MutableCatalog } from "../../kinds/catalog.ts";
import type { LoopbackClient } from "../loopback-client.ts";
import { deleteInstances } from "./delete-instances.ts";
import { acceptNames, establish } from "./naming.ts";

/** What the controller works with. */
export interface CrdControllerOptions {
  readonly loopback: LoopbackClient;
  readonly catalog: MutableCatalog;
  readonly runtime: Runtime;
  readonly createResources: (definition: JsonObject) => readonly ServedResource[];
  /** Returns a function that ends those watches on a kind's storage that are open now. */
  readonly openWatches: (storageKey: string) => () => void;
  /** Reports a definition that keeps failing, once. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** The controller. Commits may be reported before it is started. */
export interface CrdController {
  /**
   * To be called after every commit to a definition: the catalog changes at once, conditions follow
   * soon.
   */
  committed(object: JsonObject | null, old: JsonObject | null): void;
  /** Serves stored definitions, then starts to write. Resolves once they are served. */
  start(options: CrdControllerOptions): Promise<void>;
  stop(): Promise<void>;
}

const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const backoff = { firstMs: 50, maxMs: 5000 };
/** Upstream: tearDown of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go. */
const tearDownMs = 1000;

export function createCrdController(): CrdController {
  return new Controller();
}

class Controller implements CrdController {
  /** Definitions as last committed, by name. */
  readonly #known = new Map<string, JsonObject>();
  /** The resources of each definition; the same objects while their sources do not change. */
  readonly #resources = new Map<
    string,
    {
      readonly source: string;
      readonly storage: string;
      readonly resources: readonly ServedResource[];
    }
  >();
  readonly #tearDowns = new Set<Timer>();
  #running: { readonly options: CrdControllerOptions; readonly workers: KeyedWorkers } | undefined;

  committed(object: JsonObject | null, old: JsonObject | null): void {
    const definition = object ?? old;
    if (!definition) return;
    const { name } = definitionOf(definition).metadata;
    // The caller may go on to change its object.
    const known = object && cloneJson(object);
    if (known) this.#known.set(name, known);
    else this.#known.delete(name);
    this.#serve(name, known);
    if (object) this.#running?.workers.add(name);
    else this.#enqueueGroup(definitionOf(definition), name);
  }

  async start(options: CrdControllerOptions): Promise<void> {
    const workers = createKeyedWorkers({
      runtime: options.runtime,
      backoff,
      failing: (name, error) =>
        options.warn?.(
          `CustomResourceDefinition ${name} cannot be reconciled: ${reasonOf(error)}`,
          error,
        ),
    });
    this.#running = { options, workers };
    const { object } = await options.loopback("GET", root);
    const items = Array.isArray(object["items"]) ? (object["items"] as JsonObject[]) : [];
    for (const item of items)
      this.committed(
        { ...item, apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
        null,
      );
    for (const [name, definition] of this.#known) {
      this.#serve(name, definition);
      workers.add(name);
    }
    workers.start((name) => this.#sync(name, options));
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    for (const timer of this.#tearDowns) timer.cancel();
    this.#tearDowns.clear();
    await running?.workers.stop();
  }

  #serve(name: string, object: JsonObject | null): void {
    if (!this.#running) return;
    const { options } = this.#running;
    const definition = object && definitionOf(object);
    const isServed =
      definition &&
      ["NamesAccepted", "Established"].some((type) =>
        isStatusConditionTrue(definition.status.conditions, type),
      );
    if (!object) {
      this.#tearDown(name, options);
      this.#resources.delete(name);
    }
    options.catalog.serve(name, isServed ? this.#resourcesOf(name, object, options) : []);
  }

  /**
   * Most commits change conditions only. Field managers, documents and representations are kept by
   * the identity of a resource, and survive those.
   */
  #resourcesOf(
    name: string,
    object: JsonObject,
    options: CrdControllerOptions,
  ): readonly ServedResource[] {
    const { metadata, status } = definitionOf(object);
    // A patch may reorder the fields.
    const { kind, listKind, plural, singular, shortNames, categories } = status.acceptedNames ?? {};
    const storage = JSON.stringify([
      metadata.uid,
      metadata.generation,
      [kind, listKind, plural, singular, shortNames, categories],
    ]);
    const isTerminating = isStatusConditionTrue(status.conditions, "Terminating");
    const source = `${storage} ${isTerminating}`;
    const before = this.#resources.get(name);
    if (before?.source === source) return before.resources;
    if (before && before.storage !== storage) this.#tearDown(name, options);
    const resources = options.createResources(object);
    this.#resources.set(name, { source, storage, resources });
    return resources;
  }

  /** Ends what watches the resources of a definition that changed or went, a moment later. */
  #tearDown(name: string, { openWatches, runtime }: CrdControllerOptions): void {
    const resources = this.#resources.get(name)?.resources ?? [];
    const keys = new Set(resources.map(({ storageKey }) => storageKey));
    const ends = [...keys].map(openWatches);
    const timer = runtime.clock.timer(tearDownMs, () => {
      this.#tearDowns.delete(timer);
      for (const end of ends) end();
    });
    this.#tearDowns.add(timer);
  }

  #enqueueGroup({ spec }: Definition, except: string): void {
    for (const [name, object] of this.#known)
      if (name !== except && definitionOf(object).spec.group === spec.group)
        this.#running?.workers.add(name);
  }

  /** One step: each write is reported as a commit, which brings the next. */
  async #sync(name: string, options: CrdControllerOptions): Promise<void> {
    const object = this.#known.get(name);
    if (!object) return;
    const definition = definitionOf(object);
    const now = nowOf(options.runtime);
    if (
      definition.metadata.deletionTimestamp &&
      definition.metadata.finalizers?.includes(cleanupFinalizer)
    )
      return this.#finalize(object, options);
    const naming = acceptNames(definition, this.#groupOf(definition), now);
    if (naming) {
      await writeStatus(options, object, naming);
      return this.#enqueueGroup(definition, name);
    }
    const established = establish(definition, now);
    if (established) return writeStatus(options, object, { conditions: established });
    const approval = approvalCondition(definition);
    if (!approval || hasCondition(definition, approval)) return;
    await writeStatus(options, object, {
      conditions: setCondition(definition.status.conditions ?? [], approval, now),
    });
  }

  #groupOf({ spec }: Definition): readonly Definition[] {
    return [...this.#known.values()]
      .map(definitionOf)
      .filter((each) => each.spec.group === spec.group);
  }

  async #finalize(object: JsonObject, options: CrdControllerOptions): Promise<void> {
    const definition = definitionOf(object);
    const progress: DefinitionCondition = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    };
    if (!hasCondition(definition, progress)) return writeCondition(options, object, progress);
    if (!isStatusConditionTrue(definition.status.conditions, "Established"))
      return removeFinalizer(options, object, {
        reason: "NeverEstablished",
        message: "resource was never established",
      });
    const { name } = definition.metadata;
    if (!servesAnything(definition, options))
      options.catalog.serve(name, options.createResources(withAllVersionsServed(object)));
    if (!(await deleteInstances(definition, options.loopback)))
      throw new Error(`delete the custom resources of ${name}: finalizers hold some of them`);
    await removeFinalizer(options, object, {
      reason: "InstanceDeletionCompleted",
      message: "removed all instances",
    });
  }
}

const nowOf = (runtime: Runtime): string =>
  `${new Date(runtime.clock.now()).toISOString().slice(0, 19)}Z`;

/** Writes through /status. The winner of a conflict is reported as a commit as well. */
async function writeStatus(
  { loopback }: CrdControllerOptions,
  object: JsonObject,
  change: DefinitionStatus,
  metadata: Partial<Definition["metadata"]> = {},
): Promise<void> {
  const definition = definitionOf(object);
  const body = objectOf({
    ...definition,
    metadata: { ...definition.metadata, ...metadata },
    status: { ...definition.status, ...change },
  });
  const path = `${root}/${definition.metadata.name}/status`;
  const { status } = await loopback("PUT", path, body);
  if (status >= 300 && status !== 404 && status !== 409)
    throw new Error(`PUT ${path}: expected 200, got ${status}`);
}

function writeCondition(
  options: CrdControllerOptions,
  object: JsonObject,
  condition: DefinitionCondition,
  metadata?: Partial<Definition["metadata"]>,
): Promise<void> {
  const before = definitionOf(object).status.conditions ?? [];
  const conditions = setCondition(before, condition, nowOf(options.runtime));
  return writeStatus(options, object, { conditions }, metadata);
}

function removeFinalizer(
  options: CrdControllerOptions,
  object: JsonObject,
  outcome: Pick<DefinitionCondition, "reason" | "message">,
): Promise<void> {
  const finalizers = definitionOf(object).metadata.finalizers ?? [];
  const condition = { type: "Terminating", status: "False", ...outcome } as const;
  return writeCondition(options, object, condition, {
    finalizers: finalizers.filter((finalizer) => finalizer !== cleanupFinalizer),
  });
}

function servesAnything({ spec }: Definition, { catalog }: CrdControllerOptions): boolean {
  return (spec.versions ?? []).some((version) =>
    catalog.find(spec.group ?? "", version.name, spec.names?.plural ?? ""),
  );
}

function hasCondition(
  definition: Definition,
  { type, status, reason, message }: DefinitionCondition,
): boolean {
  const before = definition.status.conditions?.find((each) => each.type === type);
  return before?.status === status && before.reason === reason && before.message === message;
}

/** For definitions that serve no version: their instances are stored and must be deleted. */
function withAllVersionsServed(object: JsonObject): JsonObject {
  const definition = definitionOf(object);
  const versions = (definition.spec.versions ?? []).map((one) => ({ ...one, served: true }));
  return objectOf({ ...definition, spec: { ...definition.spec, versions } });
}
