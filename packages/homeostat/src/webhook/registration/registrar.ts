// Registers webhooks with the API server and keeps their caBundles: level-triggered, from informers
// over its own objects alone.
import type { JsonObject } from "../../api/json.ts";
import { isConflict, isInvalid } from "../../api/status.ts";
import type { Cache, InformerLease } from "../../cache/index.ts";
import type { Client, JsonPatchOperation } from "../../client/client.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Log } from "../../util/guard-log.ts";
import { holdsBundle } from "../pki/certificate-facts.ts";
import { bundlePatch, type Target } from "./target.ts";

interface RegistrarOptions {
  readonly client: Client;
  readonly cache: Cache;
  readonly log: Log;
  readonly targets: readonly Target[];
  readonly register: "create" | "inject";
  readonly fieldManager: string;
  readonly changed: () => void;
}

interface Watched {
  readonly target: Target;
  readonly lease: InformerLease;
  isApplied: boolean;
  /** Writes in a row that another replica's change came before, by the server's answer. */
  refusals: number;
}

/** A refusal that stays is no race. */
const mostRefusals = 20;

/** Writes the targets of one server. */
export class Registrar {
  readonly #options: RegistrarOptions;
  readonly #watched: readonly Watched[];

  constructor(options: RegistrarOptions) {
    this.#options = options;
    const { cache, changed } = options;
    this.#watched = options.targets.map((target) => {
      const lease = cache.acquire(target.kind, { fieldSelector: `metadata.name=${target.name}` });
      lease.informer.addHandler({ added: changed, updated: changed, deleted: changed });
      return { target, lease, isApplied: false, refusals: 0 };
    });
  }

  /**
   * Writes what differs. `bundle` is undefined when caBundles are not ours to write. Resolves to
   * true when another replica's change came between, so that a pass is due soon.
   */
  async pass(bundle: string | undefined): Promise<boolean> {
    let isOvertaken = false;
    for (const watched of this.#watched) {
      const { kind, name } = watched.target;
      try {
        await this.#passOne(watched, bundle);
        watched.refusals = 0;
      } catch (error) {
        const isRace = isConflict(error) || (isInvalid(error) && isFailedTest(error));
        if (!isRace || ++watched.refusals > mostRefusals)
          throw new Error(`writing ${kind.kind} ${name}: ${describeError(error)}`, {
            cause: error,
          });
        isOvertaken = true;
      }
    }
    return isOvertaken;
  }

  async #passOne(watched: Watched, bundle: string | undefined): Promise<void> {
    const { client, register, fieldManager, log } = this.#options;
    const { target } = watched;
    const object = found(watched);
    const { kind } = target;
    if (register === "create" && needsApply(watched, object)) {
      if (object) await this.#patch(target, object, target.readdress(object, bundle));
      await client.apply(kind, target.manifest(bundle), { force: true, fieldManager });
      watched.isApplied = true;
      log.info(`registered ${kind.kind} ${target.name}`);
      return;
    }
    if (!object || bundle === undefined) return;
    if (await this.#patch(target, object, bundlePatch(target, object, bundle)))
      log.info(`wrote the caBundle of ${kind.kind} ${target.name}`);
  }

  /** Changes the object as it was seen; false when there is nothing to change. */
  async #patch(
    { kind, name }: Target,
    object: JsonObject,
    body: readonly JsonPatchOperation[],
  ): Promise<boolean> {
    if (body.length === 0) return false;
    const { resourceVersion } = object["metadata"] as Record<"resourceVersion", string>;
    const guard = {
      op: "test",
      path: "/metadata/resourceVersion",
      value: resourceVersion,
    } as const;
    const { client, fieldManager } = this.#options;
    await client.patch(kind, name, { type: "json", body: [guard, ...body] }, { fieldManager });
    return true;
  }

  /** True when all targets that exist hold the bundle: nobody calls by those that do not. */
  isPublished(bundle: string): boolean {
    return this.#bundles().every((pem) => holdsBundle(pem, bundle));
  }

  /** All caBundles as one PEM text. */
  trusted(): string {
    return this.#bundles().join("");
  }

  #bundles(): readonly string[] {
    return this.#watched.flatMap((watched) => {
      const object = found(watched);
      return object ? watched.target.bundles(object).map(({ pem }) => pem) : [];
    });
  }

  /** Why the API server does not call this server, or not for all. */
  reasons(bundle: string | undefined): readonly string[] {
    return this.#watched.flatMap((watched) => {
      const { target } = watched;
      const object = found(watched);
      const name = `${target.kind.kind} ${target.name}`;
      if (!object) return [`${name} does not exist`];
      const fault = target.fault(object);
      if (fault !== undefined) return [`${name} ${fault}`];
      const isBehind =
        bundle !== undefined &&
        !target.bundles(object).every(({ pem }) => holdsBundle(pem, bundle));
      return isBehind ? [`${name} has another caBundle`] : [];
    });
  }

  /** Deletes the webhook configurations; definitions keep their conversion. */
  async remove(): Promise<void> {
    const { client, log } = this.#options;
    for (const watched of this.#watched) {
      const object = found(watched);
      if (!watched.isApplied || !object || !("webhooks" in object)) continue;
      const { name, uid } = object["metadata"] as Record<"name" | "uid", string>;
      await client
        .delete(watched.target.kind, name, { preconditions: { uid } })
        .then(() => log.info(`deleted ${watched.target.kind.kind} ${name}`))
        .catch((error: unknown) =>
          log.warn(`deleting ${watched.target.kind.kind} ${name}`, { error }),
        );
    }
  }
}

const found = ({ lease, target }: Watched): JsonObject | undefined =>
  lease.informer.get({ name: target.name }) as JsonObject | undefined;

/** Whole manifests are written once by each process: an older replica must not undo a newer one. */
function needsApply({ isApplied, target }: Watched, object: JsonObject | undefined): boolean {
  const isDefinition = target.kind.kind === "CustomResourceDefinition";
  if (!object) return !isDefinition;
  return !isApplied || target.fault(object) !== undefined;
}

/**
 * A JSON patch whose test fails is 422 Invalid: kube-apiserver drops the reason where it has made a
 * status of the error, see k8s.io/apiserver/pkg/endpoints/handlers/patch.go and
 * k8s.io/apimachinery/pkg/api/errors (NewGenericServerResponse).
 */
const isFailedTest = (error: Error): boolean =>
  /test operation|testing path|test failed|due to an error in our request/i.test(error.message);
