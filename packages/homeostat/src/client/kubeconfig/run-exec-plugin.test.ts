// Running a real program as credential plug-in: this Node with a one-line script.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { ExecPlugin } from "./cluster-access.ts";
import { isInteractive } from "./exec-credential.ts";
import { runExecPlugin } from "./run-exec-plugin.ts";

const { clock } = createSystemRuntime();

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
        false,
        clock,
      ),
      "hello{}",
    );
  });

  it("reports why the program failed", async () => {
    await assert.rejects(
      runExecPlugin(plugin("console.error('not logged in'); process.exit(3)"), "{}", false, clock),
      (error) =>
        isHomeostatError(error, "ERR_KUBECONFIG_EXEC") &&
        error.message.endsWith("it failed: not logged in") &&
        error.hint === "Mend what the plug-in says, for example by a login.",
    );
    await assert.rejects(
      runExecPlugin(plugin("", { command: "no-such-program-anywhere" }), "{}", false, clock),
      /no-such-program-anywhere: the program was not found/,
    );
  });

  it("ends a program that hangs after a minute, and leaves no timer behind", async () => {
    const timers: { readonly ms: number; readonly run: () => void; isOn: boolean }[] = [];
    const timer: typeof clock.timer = (ms, run) => {
      const made = { ms, run, isOn: true };
      timers.push(made);
      return { cancel: () => void (made.isOn = false) };
    };
    const own = { ...clock, timer };
    const hangs = runExecPlugin(plugin("setInterval(() => {}, 1000)"), "{}", false, own);
    timers.find(({ ms }) => ms === 60_000)!.run();
    await assert.rejects(hangs, /it failed: it ended by SIGTERM$/);
    const missing = plugin("", { command: "no-such-program-anywhere" });
    await assert.rejects(runExecPlugin(missing, "{}", false, own));
    assert.deepEqual(
      timers.map(({ isOn }) => isOn),
      [false, false, false, false],
    );
    assert.ok(!process.getActiveResourcesInfo().includes("Timeout"), "nothing keeps the process");
  });

  it("has the environment of this process, and a megabyte for what it says", async () => {
    process.env["OF_THIS_PROCESS"] = "x";
    const script = "process.stdout.write(process.env.OF_THIS_PROCESS.repeat(+process.argv[1]))";
    const say = async (length: number): Promise<number> => {
      const given = plugin(script, { args: ["-e", script, String(length)] });
      return (await runExecPlugin(given, "{}", false, clock)).length;
    };
    assert.equal(await say(900_000), 900_000);
    assert.ok((await say(3_000_000)) <= 1 << 20);
    delete process.env["OF_THIS_PROCESS"];
  });

  it("shows an install hint without escape sequences", async () => {
    const hint = { command: "no-such-program-anywhere", installHint: "\u001b[31mget it" };
    await assert.rejects(
      runExecPlugin(plugin("", hint), "{}", false, clock),
      (error) => isHomeostatError(error, "ERR_KUBECONFIG_EXEC") && error.hint === "get it",
    );
  });

  it("gives a program standard input only when it may ask", async () => {
    const script = "process.stdout.write(String(require('fs').readFileSync(0).length))";
    assert.equal(await runExecPlugin(plugin(script), "{}", false, clock), "0");
  });
});

describe("isInteractive", () => {
  it("asks the user only at a terminal", () => {
    assert.equal(isInteractive(plugin("", { interactiveMode: "Never" })), false);
    const isTerminal = process.stdin.isTTY === true;
    assert.equal(isInteractive(plugin("", { interactiveMode: "IfAvailable" })), isTerminal);
    if (!isTerminal)
      assert.throws(
        () => isInteractive(plugin("", { interactiveMode: "Always" })),
        /interactiveMode Always, and standard input is not a terminal/,
      );
  });
});
