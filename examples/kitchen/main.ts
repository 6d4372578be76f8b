// `npm start`: cooks a whole dinner, on an API server in this process, or with a kubeconfig on that
// cluster. On a terminal it keeps running and shows the kitchen live; otherwise, or with --once, it
// ends when dinner is ready.
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  createLog,
  createManager,
  installDefinitions,
  isHomeostatError,
  silentLog,
} from "homeostat";
import { isApiStatusError } from "homeostat/api";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import type { WebhooksOptions } from "homeostat/webhook";
import { createTiming } from "./controllers/timing.ts";
import { controllers, olderVersions, operator, resources, webhooks } from "./kitchen.ts";
import { applyManifests, type KitchenManifest, readManifests } from "./show/apply-manifests.ts";
import { createScreen } from "./show/screen.ts";
import { type DinnerReport, watchDinner } from "./show/watch-dinner.ts";

const usage = `Cooks the dinner of examples/kitchen.

  npm start                          on an embedded API server, live on a terminal
  npm start -- --once                exits with 0 when all applied objects are ready
  npm start -- --kubeconfig FILE     on any cluster, with Orders of version v2 alone
  npm start --silent -- --once --output json
                                     prints a report for scripts

Options
  --once               exit when dinner is ready (default without a terminal)
  --deadline SECONDS   with --once: fail with the reasons after this time (default 60)
  --kubeconfig FILE    cluster to cook on, in the namespace of its context
  --webhooks URL       serve Orders of version v1 too, and refuse what the kitchen cannot cook;
                       where the API server reaches this process, e.g. https://127.0.0.1:9443
  --namespace NAME     use another namespace
  --manifests FILE     cook another dinner
  --output text|json   json: print one report at the end
  --help
`;

interface Options {
  readonly once: boolean;
  readonly deadlineMs: number;
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  /** Undefined: none on a cluster. */
  readonly webhooksUrl: string | undefined;
  readonly manifests: string;
  readonly json: boolean;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "number") return options;
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () =>
      ending.signal.aborted ? process.exit(signal === "SIGINT" ? 130 : 143) : ending.abort(signal),
    );
  process.stdout.on("error", () => ending.abort("standard output is closed"));
  const manifests = await readManifests(options.manifests);
  const place = await openPlace(options);
  try {
    return await cook(place, manifests, options, ending.signal);
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    throw new Error(`cooking on ${place.name}: the server answered: ${error.message}`, {
      cause: error,
    });
  } finally {
    await place.close();
  }
}

function readOptions(): Options | number {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: "boolean" },
        deadline: { type: "string" },
        kubeconfig: { type: "string" },
        namespace: { type: "string" },
        webhooks: { type: "string" },
        manifests: { type: "string" },
        output: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) return (process.stdout.write(usage), 0);
    const deadline = Number(values.deadline ?? "60");
    if (!(deadline > 0))
      throw new Error(`--deadline: expected a number of seconds above 0, got "${values.deadline}"`);
    if (values.output !== undefined && values.output !== "json" && values.output !== "text")
      throw new Error(`--output: expected text or json, got "${values.output}"`);
    const manifests =
      values.manifests ?? join(dirname(fileURLToPath(import.meta.url)), "manifests", "dinner.yaml");
    return {
      once: values.once === true || !process.stdout.isTTY,
      deadlineMs: deadline * 1000,
      kubeconfig: values.kubeconfig,
      namespace: values.namespace,
      webhooksUrl: values.webhooks,
      manifests,
      json: values.output === "json",
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
}

/** Where dinner is cooked: a cluster, or an embedded server. */
interface Place {
  readonly client: Client;
  /** Its name, for messages. */
  readonly name: string;
  /** Where it reaches the webhooks; undefined for none. */
  readonly webhooks?: Omit<WebhooksOptions, "serve"> | undefined;
  /** The kubectl command that shows it. */
  readonly hint: string;
  close(): Promise<void>;
}

async function openPlace({ kubeconfig, namespace, once, webhooksUrl }: Options): Promise<Place> {
  const scope = {
    fieldManager: operator,
    userAgent: operator,
    ...(namespace === undefined ? {} : { namespace }),
  };
  if (kubeconfig !== undefined) {
    const access = await loadKubeconfig({ path: kubeconfig });
    const client = createClient({ access, ...scope });
    return {
      client,
      name: `${access.server} (${kubeconfig})`,
      webhooks: webhooksUrl === undefined ? undefined : { url: webhooksUrl },
      hint: `kubectl --kubeconfig ${kubeconfig} --namespace ${client.namespace} get kitchen`,
      close: () => client.close(),
    };
  }
  const inNamespace = namespace === undefined ? "" : ` --namespace ${namespace}`;
  const { startApiServer } = await import("@homeostat/apiserver");
  const path = join(process.cwd(), ".homeostat", "kubeconfig");
  const server = await startApiServer({ kubeconfigPath: path });
  const client = createClient({ transport: server.transport(), ...scope });
  const hint = once
    ? `on an embedded API server, ${server.url}, which stops when dinner is ready; on a terminal it keeps running`
    : `kubectl --kubeconfig ${relative(process.cwd(), path)}${inNamespace} get kitchen`;
  const certificates = { from: "secret", namespace: "default" } as const;
  const here = { url: "https://127.0.0.1", port: 0, certificates };
  const webhooks = webhooksUrl === undefined ? here : { url: webhooksUrl };
  return { client, name: server.url, webhooks, hint, close: () => server.close() };
}

async function cook(
  place: Place,
  manifests: readonly KitchenManifest[],
  options: Options,
  ending: AbortSignal,
): Promise<number> {
  const { client } = place;
  await installDefinitions(client, place.webhooks ? [...resources, ...olderVersions] : resources);
  const timing = createTiming({ fetchMs: 300, nowMs: () => Date.now() });
  // Log lines on the same terminal would tear the live screen, which says what each object waits
  // for.
  const onScreen = process.stdout.isTTY && process.stderr.isTTY && !options.json;
  const manager = createManager({
    operator,
    controllers: controllers(timing),
    client,
    namespace: client.namespace,
    ...(place.webhooks ? { webhooks: { ...place.webhooks, serve: webhooks(client) } } : {}),
    shutdownTimeoutMs: 500,
    // The report says how it went; the log adds what went wrong.
    log: onScreen ? silentLog : await createLog({ level: "warn" }),
  });
  await manager.start();
  try {
    await applyManifests(client, manifests, { file: options.manifests });
    const screen = createScreen({ out: process.stdout, quiet: options.json, hint: place.hint });
    const report = await watchDinner({
      client,
      manager,
      manifests,
      resources,
      screen,
      ending,
      ...(options.once ? { deadlineMs: options.deadlineMs } : {}),
    });
    return finish(report, options, ending);
  } finally {
    await manager.stop();
  }
}

function finish(report: DinnerReport, options: Options, ending: AbortSignal): number {
  if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.ready || !options.once) return 0;
  if (ending.aborted)
    return (
      process.stderr.write(`stopped after ${report.seconds} s, before dinner was ready\n`), 1
    );
  const lines = report.objects.flatMap(({ kind, name, ready, because }) =>
    ready ? [] : [`  ${kind} ${name}: ${because}`],
  );
  process.stderr.write(`dinner is not ready after ${report.seconds} s:\n${lines.join("\n")}\n`);
  return 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (isHomeostatError(error)) process.stderr.write(`  ${error.hint}\n`);
  process.exitCode = 1;
}
