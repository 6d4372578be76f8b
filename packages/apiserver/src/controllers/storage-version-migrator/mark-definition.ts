// Marks a definition whose objects are being rewritten, and afterwards drops the versions in which
// no object is stored any more.
// Upstream: markAsActive and finishCRDMigration in
// k8s.io/kubernetes/pkg/controller/storageversionmigrator/migrationrunner.go.
import { findStatusCondition, isConflict } from "homeostat/api";
import {
  CustomResourceDefinition,
  type CustomResourceDefinition as Definition,
} from "homeostat/k8s/apiextensions/v1";
import type { StorageVersionMigration } from "homeostat/k8s/storagemigration/v1beta1";
import { formatGroupResource } from "../../apimachinery/errors/api-errors.ts";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

const fieldManager = "migration-runner-controller";
const type = "StorageMigrating";
const attempts = 5;

type Context = Pick<ControllerContext, "client" | "runtime">;

/** Nothing happens if the resource has no definition. */
export const markRunning = (context: Context, migration: StorageVersionMigration): Promise<void> =>
  applyStatus(context, migration, () => ({
    status: "True",
    reason: "MigrationRunning",
    message: `Migration ${migration.metadata.name} is running`,
  }));

/** The stored versions are dropped unless the definition has changed since the migration began. */
export const markEnded = (
  context: Context,
  migration: StorageVersionMigration,
  outcome: "succeeded" | "failed",
): Promise<void> =>
  applyStatus(context, migration, (definition) => {
    const begun = findStatusCondition(definition.status?.conditions ?? [], type);
    const isUnchanged =
      begun !== undefined && (begun.observedGeneration ?? 0) === definition.metadata.generation;
    return {
      status: "False",
      ...endOf(outcome, isUnchanged),
      ...(isUnchanged ? { storedVersions: storageVersionOf(definition) } : {}),
    };
  });

function endOf(outcome: "succeeded" | "failed", isUnchanged: boolean) {
  if (outcome === "failed")
    return { reason: "MigrationFailed", message: "The migration has failed" };
  const detail = isUnchanged
    ? "and the stored versions have been updated"
    : "but the stored versions have not been updated due to a generation mismatch";
  return { reason: "MigrationSucceeded", message: `The migration has succeeded ${detail}` };
}

const storageVersionOf = ({ spec }: Definition): readonly string[] =>
  spec.versions.filter(({ storage }) => storage).map(({ name }) => name);

interface Mark {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly storedVersions?: readonly string[];
}

/** Applies to the revision that was read; a conflict reads again. */
async function applyStatus(
  { client, runtime }: Context,
  { spec: { resource } }: StorageVersionMigration,
  markOf: (definition: Definition) => Mark,
): Promise<void> {
  const name = formatGroupResource(resource);
  for (let left = attempts; ; left -= 1) {
    const definition = await client.find(CustomResourceDefinition, name);
    if (!definition) return;
    const { resourceVersion, generation } = definition.metadata;
    const { storedVersions, ...mark } = markOf(definition);
    const lastTransitionTime = formatTime(runtime.clock.now());
    const condition = { type, ...mark, lastTransitionTime, observedGeneration: generation };
    const status = { conditions: [condition], ...(storedVersions ? { storedVersions } : {}) };
    try {
      await client.applyUnread(
        CustomResourceDefinition,
        { metadata: { name, resourceVersion }, status },
        { fieldManager, force: true, subresource: "status" },
      );
      return;
    } catch (error) {
      if (!isConflict(error) || left <= 1) throw error;
    }
  }
}
