// The command line: commands, options and help. A command's module is imported when the command
// runs, to keep the others fast.
import { Command, CommanderError } from "commander";
import { CommandError, usageError, usageExitCode } from "./command-error.ts";

const description = "Write, run and understand Kubernetes controllers in TypeScript.";

/** Set by the command that runs. */
interface ExitState {
  exitCode: number;
  /** Its name with those above it, e.g. `homeostat server`. */
  command: string;
}

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Runs the command in `argv` (without node and script). Resolves to the exit code: 0 success, 1
 * failure, 2 wrong usage.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const state: ExitState = { exitCode: 0, command: "homeostat" };
  const program = buildProgram(state);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return state.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    if (error instanceof CommandError) {
      const hint = error.exitCode === usageExitCode ? `; see ${state.command} --help` : "";
      process.stderr.write(`homeostat: ${error.message}${hint}\n`);
      return error.exitCode;
    }
    const failure = await describeFailure(error);
    if (failure === undefined) throw error;
    process.stderr.write(`homeostat: ${failure}\n`);
    return 1;
  }
}

/** What was attempted, on what, and what to do. Undefined for what only the stack explains. */
async function describeFailure(error: unknown): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && String(error.code).startsWith("ERR_"))
    return "hint" in error ? `${error.message}\n  ${String(error.hint)}` : error.message;
  const { isApiStatusError } = await import("homeostat/api");
  if (!isApiStatusError(error)) return undefined;
  return error.request === undefined ? error.message : `${error.request}: ${error.message}`;
}

function buildProgram(state: ExitState): Command {
  const program = new Command("homeostat")
    .description(description)
    .exitOverride()
    .enablePositionalOptions()
    .hook("preAction", (_, command) => {
      if (command.name() !== "help") state.command = pathOf(command);
    });
  addServer(program, state);
  addStorageVersions(program, state);
  addVersion(program);
  addInit(program);
  addGenerate(program, state);
  addHelp(program);
  return program;
}

/** The name of a command with those above it. */
const pathOf = (command: Command): string =>
  [command.parent ? pathOf(command.parent) : "", command.name()].filter(Boolean).join(" ");

/**
 * Adds `help [command...]` to a command and to those of its commands that have commands. Errors of
 * each refer to its own help.
 */
function addHelp(command: Command): void {
  command.showHelpAfterError(`(see ${pathOf(command)} --help)`);
  for (const each of command.commands) addHelp(each);
  if (command.commands.length === 0) return;
  command
    .helpCommand(false)
    .command("help [command...]")
    .description("Print the help of a command.")
    .action((names: readonly string[]) => helpOf(command, names));
}

/** Prints the help of the command at the end of the path `names` below `command`. */
function helpOf(command: Command, names: readonly string[]): void {
  const [name, ...rest] = names;
  if (name === undefined) return command.help();
  const known = command.createHelp().visibleCommands(command);
  const found = known.find((each) => each.name() === name);
  if (found) return helpOf(found, rest);
  const others = known.map((each) => each.name());
  const expected = others.length > 0 ? `the commands are ${others.join(", ")}` : "it has none";
  throw usageError(`help: ${pathOf(command)} has no command ${JSON.stringify(name)}; ${expected}`);
}

function addServer(program: Command, state: ExitState): void {
  const server = program
    .command("server")
    .enablePositionalOptions()
    .description("Run an embedded Kubernetes API server until it is stopped.");
  addServingOptions(server);
  addAuditOptions(server);
  addControllerOptions(server);
  server
    .option(
      "--faults-file <file>",
      "serve faults on demand, for tests, on a free loopback port; writes its url and token to this file",
    )
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", serverExamples)
    .action(async (flags: Flags) => {
      const { runServer } = await import("./commands/server.ts");
      state.exitCode = await runServer(flags);
    });
  addEnvtest(server, state);
}

function addServingOptions(server: Command): void {
  server
    .option("--port <n>", "port on 127.0.0.1; 0 selects a free port", "0")
    .option("--kubeconfig <file>", "file to write the kubeconfig to", ".homeostat/kubeconfig")
    .option("--data-dir <dir>", "keep objects in this folder across restarts; default: in memory")
    .option("--fsync", "with --data-dir: acknowledged writes survive a power failure")
    .option(
      "--compaction-interval <duration>",
      "interval between compactions, like kube-apiserver's --etcd-compaction-interval; 0 disables",
      "5m",
    )
    .option(
      "--event-ttl <duration>",
      "time to keep an Event after its last write; 0 keeps Events forever",
      "1h",
    )
    .option(
      "--authorization-mode <modes>",
      "authorization modes in order, separated by commas: RBAC, AlwaysAllow, AlwaysDeny",
      "RBAC",
    )
    .option(
      "--enable-admission-plugins <names>",
      "admission plug-ins to enable, separated by commas, in addition to the defaults: kube-apiserver's, but ServiceAccount only with --fake-nodes and the controller serviceaccount, which all has",
    )
    .option(
      "--disable-admission-plugins <names>",
      "admission plug-ins to disable, separated by commas",
    )
    .option(
      "--admission-control-config-file <file>",
      "AdmissionConfiguration with the configurations of admission plug-ins",
    )
    .option(
      "--openapi-descriptions",
      "put descriptions into OpenAPI documents, for kubectl explain",
    )
    .option(
      "--advertise-address <ip>",
      "IPv4 address of the endpoints of the service kubernetes; default: the first address of this machine with --controllers all, else none",
    )
    .option("--service-cluster-ip-range <cidr>", "IPv4 range of cluster IPs", "10.0.0.0/24")
    .option("--service-node-port-range <range>", "range of node ports", "30000-32767")
    .option(
      "--service-locations <list>",
      "where to reach Services that webhooks and API services name: namespace/name[:port]=host:port, separated by commas; default: their ready endpoints",
    );
}

function addAuditOptions(server: Command): void {
  server
    .option(
      "--audit-policy-file <file>",
      "Policy of audit.k8s.io/v1 that says which requests are recorded; without it none are",
    )
    .option("--audit-log-path <file>", "file for the recorded requests; - is standard output")
    .option("--audit-log-format <format>", "json or legacy; default: json")
    .option(
      "--audit-log-maxage <days>",
      "days after which old audit log files are removed; 0 keeps them; default: 366",
    )
    .option("--audit-log-maxbackup <n>", "number of old audit log files; 0 keeps all; default: 100")
    .option(
      "--audit-log-maxsize <megabytes>",
      "size at which the audit log file is rotated; 0 never rotates it; default: 100",
    )
    .option("--audit-log-compress [flag]", "compress rotated audit log files")
    .option(
      "--audit-log-truncate-enabled [flag]",
      "log large events without their bodies, or not at all if they are too large even so",
    )
    .option(
      "--audit-log-truncate-max-event-size <bytes>",
      "size of a large event; default: 102400",
    );
}

function addControllerOptions(server: Command): void {
  server
    .option(
      "--feature-gates <list>",
      "feature gates to set, separated by commas: StorageVersionMigrator=true allows storage version migrations",
    )
    .option(
      "--runtime-config <list>",
      "APIs to serve that are off by default: storagemigration.k8s.io/v1beta1=true, which also needs its feature gate",
    )
    .option(
      "--controllers <names>",
      "controllers to run, by kube-controller-manager's names, separated by commas: default (garbage collection, namespaces, and cluster roles that collect others), all (or *), none; a leading dash excludes one; pod-lifecycle adds a scheduler and fake kubelets",
      "default",
    )
    .option(
      "--fake-nodes <n>",
      "create this many fake nodes and run pods on them; implies the controller pod-lifecycle",
    )
    .option(
      "--stages <file>",
      "YAML file of stages that simulate the lifecycle of pods, nodes and other objects; accepts KWOK's Stage resources",
    );
}

function addStorageVersions(program: Command, state: ExitState): void {
  program
    .command("storage-versions")
    .description("Print the definitions with objects that may still be stored in an old version.")
    .option("--kubeconfig <file>", "default: KUBECONFIG, else ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig; default: the current one")
    .option(
      "--migrate",
      "rewrite all objects of these definitions, then drop the old versions from their status",
    )
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", storageVersionsExamples)
    .action(async (flags: Flags) => {
      const { runStorageVersions } = await import("./commands/storage-versions.ts");
      state.exitCode = await runStorageVersions(flags);
    });
}

function addVersion(program: Command): void {
  program
    .command("version")
    .description("Print the versions of homeostat, its Kubernetes API and Node.")
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", "\nExamples:\n  homeostat version\n  homeostat version --output json")
    .action(async (options: { readonly output: string }) => {
      const { printVersion } = await import("./commands/version.ts");
      printVersion(options.output);
    });
}

function addInit(program: Command): void {
  program
    .command("init")
    .description("Create an operator project in a new or empty folder.")
    .argument("<folder>", "project folder; its name becomes the operator's name")
    .option("--output <format>", "text or json", "text")
    .addHelpText(
      "after",
      "\nExamples:\n  homeostat init greeter\n  npm create homeostat greeter    the same, without installing the command",
    )
    .action(async (folder: string, options: { readonly output: string }) => {
      const { runInit } = await import("./commands/init.ts");
      runInit(folder, options);
    });
}

function addGenerate(program: Command, state: ExitState): void {
  program
    .command("generate")
    .description("Write the manifests that an operator needs on a cluster, from its code alone.")
    .argument(
      "[module]",
      "module that exports operator, resources, controllers and options; default: src/operator.ts",
    )
    .option("--image <image>", "image of the Deployment; default: <operator>:latest")
    .option("--namespace <name>", "namespace of the operator; default: <operator>-system")
    .option("--output-dir <dir>", "folder of the manifests", "manifests")
    .option(
      "--owner-references-permission-enforcement",
      "add the rights that this admission plug-in demands, which OpenShift enables",
    )
    .option("--check", "write nothing; fail when the files are not as they would be generated")
    .option("--output <format>", "text or json", "text")
    .addHelpText(
      "after",
      "\nExamples:\n  homeostat generate --image ghcr.io/acme/greeter:1.2.0\n  homeostat generate --image ghcr.io/acme/greeter:1.2.0 --check    for CI",
    )
    .action(async (module: string | undefined, flags: Flags) => {
      const { runGenerate } = await import("./commands/generate.ts");
      state.exitCode = await runGenerate(module, flags);
    });
}

function addEnvtest(server: Command, state: ExitState): void {
  const envtest = server
    .command("envtest")
    .description("Replace the control plane of controller-runtime's envtest.");
  envtest
    .command("install <dir>")
    .description(
      "Install etcd and kube-apiserver replacements into a folder for KUBEBUILDER_ASSETS.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  homeostat server envtest install ./bin/envtest\n  KUBEBUILDER_ASSETS=$PWD/bin/envtest go test ./...",
    )
    .action(async (dir: string) => {
      const { installEnvtest } = await import("./commands/envtest.ts");
      installEnvtest(dir);
    });
  envtest
    .command("kube-apiserver [flags...]", { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (flags: readonly string[]) => {
      const { runKubeApiServer } = await import("./envtest/run-kube-apiserver.ts");
      state.exitCode = await runKubeApiServer(flags);
    });
}

const storageVersionsExamples = `
Examples:
  homeostat storage-versions --kubeconfig .homeostat/kubeconfig
  homeostat storage-versions --migrate          rewrite the objects; old versions can then be removed
  homeostat storage-versions --output json      print {"definitions":[…]} for scripts`;

const serverExamples = `
Examples:
  homeostat server                                     in memory, on a free port
  kubectl --kubeconfig .homeostat/kubeconfig get ns    connect with kubectl
  homeostat server --port 6443 --data-dir ./data       keep port and objects across restarts
  homeostat server --controllers all --fake-nodes 3    a whole cluster: Deployments become available
  homeostat server --output json                       print {"url":…,"kubeconfig":…,"pid":…} for scripts`;
