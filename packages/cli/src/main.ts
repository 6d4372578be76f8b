// The command line: which commands there are. What a command does is imported when it runs, so that none pays for another.
import { Command, CommanderError } from "commander";
import { CommandError, usageExitCode } from "./command-error.ts";

const description = "Write, run and understand Kubernetes controllers in TypeScript.";

/** Runs the command that `argv` (without node and script) names. Resolves to the exit code: 0, 1 failure, 2 wrong usage. */
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
  const program = new Command("homeostat").description(description).exitOverride().showHelpAfterError("(homeostat --help shows what there is)");
  program
    .command("server")
    .description("Run the embedded Kubernetes API server until it is stopped.")
    .option("--port <n>", "port on 127.0.0.1; 0 takes a free one", "0")
    .option("--kubeconfig <file>", "where to write the kubeconfig", ".homeostat/kubeconfig")
    .option("--data-dir <dir>", "keep objects across restarts in this folder; without it they are in memory")
    .option("--fsync", "with --data-dir: acknowledged writes survive a power cut too")
    .option("--controllers <names>", "default, all, none, or names separated by commas", "default")
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", serverExamples)
    .action(async (options: Readonly<Record<string, string | boolean | undefined>>) => {
      const { runServer } = await import("./commands/server.ts");
      state.exitCode = await runServer(options);
    });
  program
    .command("version")
    .description("Print the versions of homeostat, of the Kubernetes API that it serves, and of Node.")
    .option("--output <format>", "text or json", "text")
    .addHelpText("after", "\nExamples:\n  homeostat version\n  homeostat version --output json")
    .action(async (options: { readonly output: string }) => {
      const { printVersion } = await import("./commands/version.ts");
      printVersion(options.output);
    });
  return program;
}

const serverExamples = `
Examples:
  homeostat server                                     a server in memory, on a free port
  kubectl --kubeconfig .homeostat/kubeconfig get ns    talk to it
  homeostat server --port 6443 --data-dir ./data       the same port and objects after a restart
  homeostat server --output json                       {"url":…,"kubeconfig":…,"pid":…} on one line, for scripts`;
