// The command line: which commands there are. What a command does is imported when it runs, so that
// none pays for another.
import { Command, CommanderError } from "commander";
import { CommandError, usageExitCode } from "./command-error.ts";

const description = "Write, run and understand Kubernetes controllers in TypeScript.";

/**
 * Runs the command that `argv` (without node and script) names. Resolves to the exit code: 0, 1
 * failure, 2 wrong usage.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const state = { exitCode: 0 };
  const program = buildProgram(state);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return state.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    if (error instanceof CommandError) {
      process.stderr.write(`homeostat: ${error.message}\n`);
      return error.exitCode;
    }
    if (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_")) {
      process.stderr.write(`homeostat: ${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

function buildProgram(state: { exitCode: number }): Command {
  const program = new Command("homeostat")
    .description(description)
    .exitOverride()
    .showHelpAfterError("(homeostat --help shows what there is)");
  const server = program
    .enablePositionalOptions()
    .command("server")
    .enablePositionalOptions()
    .description("Run the embedded Kubernetes API server until it is stopped.")
    .option("--port <n>", "port on 127.0.0.1; 0 takes a free one", "0")
    .option("--kubeconfig <file>", "where to write the kubeconfig", ".homeostat/kubeconfig")
    .option(
      "--data-dir <dir>",
      "keep objects across restarts in this folder; without it they are in memory",
    )
    .option("--fsync", "with --data-dir: acknowledged writes survive a power cut too")
    .option(
      "--compaction-interval <duration>",
      "how often the past is forgotten, as --etcd-compaction-interval; 0 never",
      "5m",
    )
    .option(
      "--event-ttl <duration>",
      "how long an Event stays after it was last written; 0 for ever",
      "1h",
    )
    .option(
      "--enable-admission-plugins <names>",
      "kube-apiserver's, separated by commas, beside those on by default",
    )
    .option("--disable-admission-plugins <names>", "kube-apiserver's, separated by commas")
    .option("--service-cluster-ip-range <cidr>", "addresses of services", "10.0.0.0/24")
    .option("--service-node-port-range <range>", "node ports of services", "30000-32767")
    .option(
      "--controllers <names>",
      "default, all (or *), none, or names separated by commas, with a dash in front of those to leave out; pod-lifecycle plays scheduler and kubelet",
      "default",
    )
    .option(
      "--fake-nodes <n>",
      "make so many nodes, and let pods live on them; adds pod-lifecycle to the controllers",
    )
    .option(
      "--stages <file>",
      "YAML: what becomes of pods, nodes and other objects, and when; also Stage files of KWOK",
    )
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", serverExamples)
    .action(async (options: Readonly<Record<string, string | boolean | undefined>>) => {
      const { runServer } = await import("./commands/server.ts");
      state.exitCode = await runServer(options);
    });
  addEnvtest(server, state);
  program
    .command("version")
    .description(
      "Print the versions of homeostat, of the Kubernetes API that it serves, and of Node.",
    )
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", "\nExamples:\n  homeostat version\n  homeostat version --output json")
    .action(async (options: { readonly output: string }) => {
      const { printVersion } = await import("./commands/version.ts");
      printVersion(options.output);
    });
  program
    .command("init")
    .description("Create a new operator project in an empty folder.")
    .argument("<folder>", "where to; its name becomes the operator's")
    .option("--output <format>", "text or json", "text")
    .addHelpText(
      "after",
      "\nExamples:\n  homeostat init greeter\n  npm create homeostat greeter    the same, with nothing installed",
    )
    .action(async (folder: string, options: { readonly output: string }) => {
      const { runInit } = await import("./commands/init.ts");
      runInit(folder, options);
    });
  return program;
}

function addEnvtest(server: Command, state: { exitCode: number }): void {
  const envtest = server
    .command("envtest")
    .description("Stand in for the control plane that controller-runtime's envtest starts.");
  envtest
    .command("install <dir>")
    .description("Write etcd and kube-apiserver into a folder, for KUBEBUILDER_ASSETS.")
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

const serverExamples = `
Examples:
  homeostat server                                     a server in memory, on a free port
  kubectl --kubeconfig .homeostat/kubeconfig get ns    talk to it
  homeostat server --port 6443 --data-dir ./data       the same port and objects after a restart
  homeostat server --controllers all --fake-nodes 3    a whole cluster to look at: Deployments become available
  homeostat server --output json                       {"url":…,"kubeconfig":…,"pid":…} on one line, for scripts`;
