// What an operator has to be allowed to do, from its declarations alone. Each right is one that the
// runtime uses: the file named beside it sends the request.
import { parseApiVersion } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { Permission } from "../../api/permission.ts";
import { hasStatus } from "../../api/resource/custom-resource-definition.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";
import { type ControllerDefinition, definitionOf } from "../../controller/define-controller.ts";
import type { Signal } from "../../controller/signals/signal.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { leaseRights } from "./lease-rights.ts";
import { beyond, type PolicyRule, type Right, toPolicyRules } from "./policy-rule.ts";
import { webhookRights } from "./webhook-rights.ts";

/** Rules for the roles of an operator's service account. */
export interface RequiredPermissions {
  /** For a ClusterRole and its ClusterRoleBinding. */
  readonly cluster: readonly PolicyRule[];
  /** For a Role and its RoleBinding in each of these namespaces, by their names. */
  readonly namespaces: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** The options that decide. */
export type DescribedOptions = Pick<
  ManagerOptions,
  | "controllers"
  | "namespace"
  | "namespaces"
  | "reports"
  | "health"
  | "metrics"
  | "webhooks"
  | "election"
  | "sharding"
> & {
  /** Needed with webhooks: names are made from it. */
  readonly operator?: string;
};

/** Options of {@link requiredPermissions}. */
export interface PermissionOptions {
  /**
   * For clusters with the admission plug-in OwnerReferencesPermissionEnforcement, such as
   * OpenShift: children block the deletion of their owner, which there takes the right to update
   * its finalizers.
   */
  readonly ownerReferencesPermissionEnforcement?: boolean;
  /** Where the operator runs: the namespace of its client. Default "default". */
  readonly operatorNamespace?: string;
}

/** A right, and the scope of its kind. */
interface ScopedRight extends Right {
  readonly scope: Kind["scope"];
}

/** The Events of cluster-scoped objects. Source: k8s.io/client-go/tools/record/event.go. */
const namespaceOfClusterEvents = "default";

/**
 * The rights that a manager of these options uses, and no others, if its controllers declare
 * `permissions` for what they do through `client` and `watch(kind)`. With `namespace` or a list of
 * `namespaces`, rights to namespaced kinds are limited to these. Pure.
 */
export function requiredPermissions(
  options: DescribedOptions,
  choices: PermissionOptions = {},
): RequiredPermissions {
  const definitions = options.controllers.map(definitionOf);
  const rights = definitions.flatMap((definition) => [
    ...rightsOf(definition, options),
    ...(choices.ownerReferencesPermissionEnforcement ? finalizersRight(definition) : []),
  ]);
  for (const one of options.webhooks?.serve ?? [])
    if (one.type !== "conversion") rights.push(...listedRights(one.options.permissions));
  const watched = watchedNamespaces(options);
  const isWide = ({ scope }: ScopedRight): boolean => watched === undefined || scope === "Cluster";
  const cluster: Right[] = [
    ...rights.filter(isWide),
    ...selectionRights(options),
    ...reviewRights(options),
  ];
  const narrow = rights.filter((one) => !isWide(one));
  const places = new Map<string, Right[]>((watched ?? []).map((name) => [name, [...narrow]]));
  const grantIn = (namespace: string, granted: readonly Right[]): void =>
    void places.set(namespace, [...(places.get(namespace) ?? []), ...granted]);
  const speaksOfCluster = definitions.some(
    (one) => one.kind.scope === "Cluster" && sendsEvents(one, options),
  );
  if (watched !== undefined && speaksOfCluster) grantIn(namespaceOfClusterEvents, [eventsRight]);
  const { operatorNamespace: namespace = "default" } = choices;
  const leases = leaseRights(options, { operator: options.operator, namespace });
  if (leases) grantIn(leases.namespace, leases.rights);
  if (options.webhooks) {
    const { operator, webhooks } = options;
    const hooks = webhookRights(webhooks, { operator, namespace });
    cluster.push(...hooks.cluster);
    if (hooks.secret) grantIn(hooks.secret.namespace, hooks.secret.rights);
  }
  return {
    cluster: toPolicyRules(cluster),
    namespaces: Object.fromEntries(
      Array.from(places, ([name, granted]) => [name, toPolicyRules(beyond(granted, cluster))]),
    ),
  };
}

/** Undefined for all namespaces, or for those of a selection. */
function watchedNamespaces({
  namespace,
  namespaces,
}: DescribedOptions): readonly string[] | undefined {
  if (namespace !== undefined) return [namespace];
  return Array.isArray(namespaces) ? (namespaces as readonly string[]) : undefined;
}

/** manager/scope/watched-scope.ts: an informer of Namespaces. */
function selectionRights({ namespaces }: DescribedOptions): readonly Right[] {
  const isSelection = namespaces !== undefined && !Array.isArray(namespaces);
  return isSelection ? [{ group: "", resource: "namespaces", verbs: ["list", "watch"] }] : [];
}

/** manager/serving/delegated-access.ts: with the manager's own client. */
function reviewRights({ metrics }: DescribedOptions): readonly Right[] {
  if (metrics?.authorization !== "delegated" || metrics.port === false) return [];
  return [
    { group: "authentication.k8s.io", resource: "tokenreviews", verbs: ["create"] },
    { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ["create"] },
  ];
}

function rightsOf(
  definition: ControllerDefinition,
  options: DescribedOptions,
): readonly ScopedRight[] {
  const { owns, refs, watches, indexes, signals, permissions } = definition;
  const read = [refs, watches, indexes].flatMap((named) => Object.values(named));
  return [
    ...ownKindRights(definition),
    // controller/own: apply-child.ts, prune.ts; an apply that creates needs create as well.
    ...owns.map((kind) => right(kind, [...followed, "get", "create", "patch", "delete"])),
    // cache/: lists and watches.
    ...read.map(({ target }) => right(target as Kind, followed)),
    ...signals.flatMap((signal) => signalRights(definition, signal)),
    ...listedRights(permissions),
    ...(sendsEvents(definition, options) ? [eventsRight] : []),
  ];
}

const listedRights = (permissions: readonly Permission[] = []): readonly ScopedRight[] =>
  permissions.map(({ kind, verbs, subresource, names }) => ({
    ...right(kind, verbs, subresource),
    names,
  }));

const followed = ["list", "watch"];

/** events/create-recorder.ts: created, and patched when they repeat. */
const eventsRight: ScopedRight = {
  group: "",
  resource: "events",
  verbs: ["create", "patch"],
  scope: "Namespaced",
};

function sendsEvents({ reports }: ControllerDefinition, options: DescribedOptions): boolean {
  return { ...options.reports, ...reports }.events !== false;
}

function ownKindRights(definition: ControllerDefinition): readonly ScopedRight[] {
  const { kind } = definition;
  const status = writesStatus(definition);
  const finalizers = writesFinalizers(definition);
  return [
    // controller/finalizer.ts and is-replaced.ts read an object again after a conflict or a 404.
    right(kind, [
      ...followed,
      ...(status || finalizers ? ["get"] : []),
      ...(finalizers ? ["patch"] : []),
    ]),
    ...(status ? [right(kind, ["patch"], "status")] : []),
  ];
}

/**
 * controller/write-status.ts. Of kinds that `defineResource` has not made, nothing says whether
 * they have a status; a controller that writes it declares the permission.
 */
function writesStatus({ kind }: ControllerDefinition): boolean {
  const made = definitionOfKind(kind);
  return made !== undefined && hasStatus(made);
}

/**
 * controller/finalizer.ts: for `finalize`, and for owned objects that owner references cannot
 * reach because they are cluster-scoped.
 */
function writesFinalizers({ kind, owns, finalize }: ControllerDefinition): boolean {
  if (finalize !== undefined) return true;
  return kind.scope === "Namespaced" && owns.some(({ scope }) => scope === "Cluster");
}

/** controller/signals/write-signal.ts. A condition goes with the status of the own kind. */
function signalRights(
  { name }: ControllerDefinition,
  { on, carrier, setBy, clearedBy }: Signal,
): readonly ScopedRight[] {
  if (![...setBy, ...clearedBy].includes(name) || "condition" in carrier) return [];
  return [right(on as Kind, "finalizer" in carrier ? ["get", "patch"] : ["patch"])];
}

function finalizersRight({ kind, owns }: ControllerDefinition): readonly ScopedRight[] {
  return owns.length > 0 ? [right(kind, ["update"], "finalizers")] : [];
}

function right(kind: Kind, verbs: readonly string[], subresource?: string): ScopedRight {
  const { group } = parseApiVersion(kind.apiVersion)!;
  const resource = subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`;
  return { group, resource, verbs, scope: kind.scope };
}
