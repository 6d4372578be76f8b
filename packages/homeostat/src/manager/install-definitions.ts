// Installs CustomResourceDefinitions and waits until they are established. Uses server-side apply,
// so that repeated and concurrent installations agree.
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { toCustomResourceDefinition } from "../api/resource/custom-resource-definition.ts";
import { isConverted } from "../api/resource/converted-versions.ts";
import { describeLossyVersions } from "../api/resource/lossy-versions.ts";
import type { ResourceDefinition } from "../api/resource/define-resource.ts";
import type { Client } from "../client/client.ts";
import { isForbidden, isInvalid } from "../api/status.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing, isOptions } from "../util/option-faults.ts";
import { isThenable } from "../util/refuse-promise.ts";
import { checkOptions } from "../util/call-options.ts";

/** The kind CustomResourceDefinition. */
export const customResourceDefinitions = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
} as Kind<
  KubeObject & { readonly status?: { readonly conditions?: readonly DefinitionCondition[] } },
  JsonObject,
  never,
  never
>;

interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Applies the definitions of `resources` and resolves once all are established. Resources of one
 * group and kind are versions of one definition; the first is the one that is stored. @throws
 * ERR_DEFINITION_ARGUMENTS; ERR_DEFINITION_FORBIDDEN when this user may not; ERR_DEFINITION_REFUSED
 * when the server rejects one (for example a name conflict); ERR_DEFINITION_TIMEOUT when one is not
 * established within `timeoutMs` (default 30 s).
 */
export async function installDefinitions(
  client: Client,
  resources: readonly { readonly definition: ResourceDefinition }[],
  options: {
    readonly timeoutMs?: number;
    readonly fieldManager?: string;
    readonly runtime?: Runtime;
  } = {},
): Promise<void> {
  checkArguments(client, resources);
  checkOptions("installDefinitions(…)", options, known);
  const names = await Promise.all(
    versionsOf(resources).map(async ([resource, ...others]) => {
      const manifest = toCustomResourceDefinition(resource, ...others);
      const { name } = manifest["metadata"] as { name: string };
      const applied = await client
        .apply(customResourceDefinitions, manifest, {
          force: true,
          ...(options.fieldManager ? { fieldManager: options.fieldManager } : {}),
        })
        .catch((cause: unknown) => refuse(cause, name));
      warnOfLoss([resource, ...others], applied);
      return name;
    }),
  );
  const runtime = options.runtime ?? createSystemRuntime();
  const late = new AbortController();
  const timer = runtime.clock.timer(options.timeoutMs ?? 30_000, () => late.abort());
  try {
    await Promise.all(
      names.map((name) =>
        established(client, name, late.signal).catch((cause: unknown) => refuse(cause, name)),
      ),
    );
  } finally {
    timer.cancel();
  }
  client.kinds.invalidate();
}

/** Says what the server's refusal means here; passes other errors on. */
function refuse(cause: unknown, name: string): never {
  if (isForbidden(cause))
    throw new HomeostatError(
      "ERR_DEFINITION_FORBIDDEN",
      `installing CustomResourceDefinition ${name}: this user may not: ${cause.status.message}`,
      {
        hint: "an operator needs no such right on a cluster: let an administrator apply the definitions that `homeostat generate` writes (crds.yaml) and leave installDefinitions out there; or grant list, watch, create and patch of customresourcedefinitions.apiextensions.k8s.io by a ClusterRole",
        cause,
      },
    );
  if (isInvalid(cause))
    throw new HomeostatError(
      "ERR_DEFINITION_REFUSED",
      `installing CustomResourceDefinition ${name}: the server refuses it: ${cause.status.message}`,
      {
        hint: "the paths named are of CustomResourceDefinition; mend the schema or the rules in defineResource",
        cause,
      },
    );
  throw cause;
}

const known = { timeoutMs: "a number", fieldManager: "a string", runtime: "a runtime" } as const;

/** Objects are converted by a webhook that is registered, or by none. */
function warnOfLoss(resources: readonly Defined[], applied: object): void {
  const { spec } = applied as { readonly spec?: { readonly conversion?: { strategy?: string } } };
  if (spec?.conversion?.strategy === "Webhook") return;
  const all = resources.map(({ definition }) => definition);
  const loss = all.some((one) => isConverted(one)) ? undefined : describeLossyVersions(all);
  if (loss !== undefined) process.emitWarning(loss, { type: "HomeostatWarning" });
}

type Defined = { readonly definition: ResourceDefinition };

/** Resources by group and kind, in their order. */
function versionsOf(resources: readonly Defined[]): readonly (readonly [Defined, ...Defined[]])[] {
  const grouped = Map.groupBy(resources, ({ definition: { group, kind } }) => `${kind}.${group}`);
  return [...grouped.values()] as unknown as readonly (readonly [Defined, ...Defined[]])[];
}

/** @throws ERR_DEFINITION_ARGUMENTS */
function checkArguments(client: unknown, resources: unknown): void {
  const isClient =
    typeof (client as Partial<Client> | undefined)?.apply === "function" &&
    typeof (client as Partial<Client>).listPage === "function";
  const wrong = Array.isArray(resources)
    ? resources.findIndex((one: unknown) => !isDefined(one))
    : undefined;
  const problems = [
    ...(isClient
      ? []
      : [`the client is ${describeArgument(client)}, expected what createClient returns`]),
    ...(wrong === undefined
      ? [`the definitions are ${describeArgument(resources)}, expected a list such as [Order]`]
      : []),
    ...(wrong === undefined || wrong < 0
      ? []
      : [
          `definition ${wrong} is ${describeArgument((resources as unknown[])[wrong])}, expected what defineResource returns`,
        ]),
  ];
  if (problems.length > 0)
    throw new HomeostatError(
      "ERR_DEFINITION_ARGUMENTS",
      `installing definitions: ${problems.join("; ")}`,
      { hint: "await installDefinitions(client, [Order, Meal])" },
    );
}

const isDefined = (one: unknown): boolean =>
  (one as { readonly definition?: Partial<ResourceDefinition> } | null | undefined)?.definition
    ?.group !== undefined;

function describeArgument(given: unknown): string {
  if (isDefined(given)) return `the resource ${(given as unknown as Kind).kind} alone`;
  if (isOptions(given) || typeof given === "function") {
    const { kind } = given as { readonly kind?: unknown };
    if (typeof kind === "string") return `the kind ${kind}`;
    if (!isThenable(given)) return "another object";
  }
  return describeMissing(given);
}

/** Watches until the definition is established; reopens a watch that ends early. */
async function established(client: Client, name: string, late: AbortSignal): Promise<void> {
  while (!late.aborted) {
    const list = await client.listPage(customResourceDefinitions, {
      fieldSelector: `metadata.name=${name}`,
    });
    if (list.items.some((object) => isEstablished(object, name))) return;
    try {
      for await (const { object } of client.watch(customResourceDefinitions, {
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: list.resourceVersion,
        signal: late,
      }))
        if (isEstablished(object, name)) return;
    } catch (cause) {
      if (!late.aborted) throw cause;
    }
  }
  throw new HomeostatError(
    "ERR_DEFINITION_TIMEOUT",
    `CustomResourceDefinition ${name} was applied but did not become established in time`,
    {
      hint: `see the conditions: kubectl get crd ${name} -o yaml`,
    },
  );
}

function isEstablished(
  object: { readonly status?: { readonly conditions?: readonly DefinitionCondition[] } },
  name: string,
): boolean {
  const conditions = object.status?.conditions ?? [];
  const refused = conditions.find((one) => one.type === "NamesAccepted" && one.status === "False");
  if (refused)
    throw new HomeostatError(
      "ERR_DEFINITION_REFUSED",
      `CustomResourceDefinition ${name} cannot be served: ${refused.message ?? refused.reason ?? "its names are taken"}`,
      {
        hint: "delete the definition that holds the name, or rename this one",
      },
    );
  return conditions.some((one) => one.type === "Established" && one.status === "True");
}
