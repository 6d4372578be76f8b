// Running a real program as credential plug-in: this Node with a one-line script.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { ExecPlugin } from "./cluster-access.ts";
import { runExecPlugin } from "./run-exec-plugin.ts";

const plugin = (script: string, rest: Partial<ExecPlugin> = {}): ExecPlugin => ({
  apiVersion: "client.authentication.k8s.io/v1",
  command: process.execPath,
  args: ["-e", script],
  env: { GREETING: "hello" },
  provideClusterInfo: false,
  interactiveMode: "IfAvailable",
  installHint: "install it",
  ...rest,
});

describe("runExecPlugin", () => {
  it("passes environment and cluster information, and yields what the program prints", async () => {
    assert.equal(
      await runExecPlugin(
        plugin("process.stdout.write(process.env.GREETING + process.env.KUBERNETES_EXEC_INFO)"),
        "{}",
      ),
      "hello{}",
    );
  });

  it("reports why the program failed", async () => {
    await assert.rejects(
      runExecPlugin(plugin("console.error('not logged in'); process.exit(3)"), "{}"),
      (error) =>
        isHomeostatError(error, "ERR_KUBECONFIG_EXEC") &&
        /not logged in/.test(error.message) &&
        error.hint === "install it",
    );
    await assert.rejects(
      runExecPlugin(plugin("", { command: "no-such-program-anywhere" }), "{}"),
      /no-such-program-anywhere: the program was not found/,
    );
  });

  it("does not start an interactive program", async () => {
    await assert.rejects(runExecPlugin(plugin("", { interactiveMode: "Always" }), "{}"), (error) =>
      isHomeostatError(error, "ERR_KUBECONFIG_UNSUPPORTED"),
    );
  });
});
