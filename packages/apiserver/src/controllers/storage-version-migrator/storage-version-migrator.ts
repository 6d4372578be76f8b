// Runs storage version migrations. Each status that it writes calls for the next step.
// Upstream: k8s.io/kubernetes/pkg/controller/storageversionmigrator.
import { isStatusConditionTrue, metadataOf } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";
import type { Condition } from "homeostat/k8s/meta/v1";
import {
  StorageVersionMigration,
  type StorageVersionMigration as Migration,
} from "homeostat/k8s/storagemigration/v1beta1";
import { formatGroupResource } from "../../apimachinery/errors/api-errors.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { markEnded, markRunning } from "./mark-definition.ts";
import { isOfSameResource, nextStep, type Step, withCondition } from "./next-step.ts";
import { rewriteObjects } from "./rewrite-objects.ts";

/** A definition that was just created may not be discovered yet. */
const discoveredAfterMs = 60_000;
const neededVerbs = ["update", "patch", "list"];
/** No namespace has this name: a list of it costs nothing and has the latest revision. */
const noNamespace = "@fake:svm_ns!";

type Run = (context: ControllerContext, migration: Migration) => Promise<void>;

const steps: Readonly<Record<Step, Run>> = {
  async promote(context, migration) {
    await markRunning(context, migration);
    const message = "The migration is running";
    await addCondition(context, migration, {
      type: "Running",
      reason: "MigrationRunning",
      message,
    });
  },
  checkpoint,
  migrate,
  "clean-up": cleanUp,
};

/** Starts `storage-version-migrator-controller`, unless the server does not have the kind. */
export const start: Start = async (context) => {
  const { kindData } = context;
  const isServed = kindData.groups.some(({ group }) => group === "storagemigration.k8s.io");
  if (!isServed) return { stop: async () => {} };
  const controller = new KeyedController(context, "the storage version migrator");
  const migrations = controller.acquire(StorageVersionMigration);
  const addAllOf = (entry: CachedObject<Migration>): void => {
    const changed = entry.read();
    for (const each of migrations.list())
      if (isOfSameResource(each, changed)) controller.add(each.metadata.name);
  };
  controller.follow(migrations, {
    added: addAllOf,
    updated: (_, entry) => addAllOf(entry),
    deleted: addAllOf,
  });
  return controller.start(async (name) => {
    const migration = migrations.get({ name });
    const step = migration && nextStep(migration, migrations.list());
    if (step) await steps[step](context, migration).catch(ignoreNotFound);
    return undefined;
  });
};

async function checkpoint(context: ControllerContext, migration: Migration): Promise<void> {
  const kind = await findKind(context, migration);
  if (!kind) return fail(context, migration, "resource does not exist in discovery");
  if (!neededVerbs.every((verb) => kind.verbs.includes(verb))) {
    const resource = JSON.stringify(`${kind.group}/${kind.version}, Resource=${kind.resource}`);
    const verbs = neededVerbs.join(" ");
    return fail(
      context,
      migration,
      `resource ${resource} does not support discovery operations: [${verbs}]`,
    );
  }
  const namespace = kind.scope === "Namespaced" ? { namespace: noNamespace } : {};
  const page = await context.client.listPage(metadataOf(kind), { ...namespace, limit: 1 });
  return updateStatus(context, migration, {
    ...migration.status,
    resourceVersion: page.resourceVersion,
  });
}

async function migrate(context: ControllerContext, migration: Migration): Promise<void> {
  const unhandled = "migration encountered unhandled error: ";
  const kind = await findKind(context, migration);
  if (!kind) return fail(context, migration, `${unhandled}unable to obtain GVR from discovery`);
  const revision = migration.status!.resourceVersion!;
  const refusal = await rewriteObjects(context.client, kind, revision);
  if (refusal !== undefined) return fail(context, migration, `${unhandled}${refusal}`);
  const reason = "StorageVersionMigrationSucceeded";
  return addCondition(context, migration, { type: "Succeeded", reason, message: "" });
}

async function cleanUp(context: ControllerContext, migration: Migration): Promise<void> {
  const conditions = migration.status?.conditions ?? [];
  const succeeded = isStatusConditionTrue(conditions, "Succeeded");
  await markEnded(context, migration, succeeded ? "succeeded" : "failed");
  const ended = {
    status: "False",
    lastTransitionTime: formatTime(context.runtime.clock.now()),
    reason: "MigrationCompleted",
    message: "Migration completed",
  };
  return updateStatus(context, migration, {
    ...migration.status,
    conditions: conditions.map((each) => (each.type === "Running" ? { ...each, ...ended } : each)),
  });
}

/** The resource in its preferred version. @throws Error while it may still be discovered. */
async function findKind(
  { client, runtime }: ControllerContext,
  { metadata, spec: { resource } }: Migration,
): Promise<DiscoveredKind | undefined> {
  const kinds = await client.kinds.all();
  const found = kinds.find(
    (kind) => kind.group === resource.group && kind.resource === resource.resource,
  );
  if (found) return found;
  client.kinds.invalidate();
  const isNew = Date.parse(metadata.creationTimestamp) + discoveredAfterMs > runtime.clock.now();
  if (isNew) throw new Error(`find ${formatGroupResource(resource)}: not discovered yet`);
  return undefined;
}

const fail = (context: ControllerContext, migration: Migration, message: string): Promise<void> =>
  addCondition(context, migration, {
    type: "Failed",
    reason: "StorageVersionMigrationFailed",
    message,
  });

const addCondition = (
  context: ControllerContext,
  migration: Migration,
  condition: Pick<Condition, "type" | "reason" | "message">,
): Promise<void> => {
  const lastTransitionTime = formatTime(context.runtime.clock.now());
  return updateStatus(
    context,
    migration,
    withCondition(migration, { ...condition, lastTransitionTime }),
  );
};

async function updateStatus(
  { client }: ControllerContext,
  migration: Migration,
  status: Migration["status"],
): Promise<void> {
  const options = { subresource: "status" };
  await client.update(StorageVersionMigration, { ...migration, status }, options);
}
