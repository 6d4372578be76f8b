// Runs a manager until the process is asked to end.
import type { Runtime } from "../runtime/runtime.ts";
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { Manager } from "./manager-options.ts";
import { checkOptions } from "../util/call-options.ts";

/**
 * Signals that come so soon after the first are the same request: a terminal sends SIGINT to all
 * processes, and npm passes its own on.
 */
const sameMs = 500;

interface RunOptions {
  /** Aborts when others stop the manager. */
  readonly stopping: AbortSignal;
  /** Rejects when the manager stops by itself. */
  readonly lost?: Promise<never> | undefined;
  readonly runtime: Pick<Runtime, "clock">;
}

/**
 * Starts, and stops on a signal of the process or when `signal` aborts, also while it starts. Ends
 * with a stop that others have asked for. A second signal of the process cuts the stop; a third one
 * ends the process. @throws ERR_MANAGER_OPTIONS, ERR_MANAGER_CUT, and what `lost` rejects with
 */
export async function runUntilAsked(
  manager: Manager,
  options: Parameters<Manager["run"]>[0],
  { stopping, lost = new Promise(() => {}), runtime }: RunOptions,
): Promise<void> {
  checkOptions("manager.run(…)", options, { signal: "any value" });
  const { signal } = options ?? {};
  if (signal !== undefined && typeof (signal as EventTarget)?.addEventListener !== "function")
    throw new HomeostatError(
      "ERR_MANAGER_OPTIONS",
      `running a manager: signal is ${describeValue(signal)}, expected an AbortSignal`,
      { hint: "leave it out: SIGINT and SIGTERM stop the manager by themselves" },
    );
  const ended = asked(signal, stopping);
  const running = manager.start();
  await Promise.race([ended.promise, running, lost]).catch(() => {});
  try {
    if (!ended.isAsked()) await Promise.race([running, lost]);
    await Promise.race([ended.promise, lost]);
  } catch (error) {
    ended.stopListening();
    await stopOrCut(manager, runtime);
    throw error;
  }
  ended.stopListening();
  const cutBy = await stopOrCut(manager, runtime);
  if (cutBy === undefined) return;
  throw new HomeostatError("ERR_MANAGER_CUT", `stopping the manager: cut by a second ${cutBy}`, {
    hint: "the log says what was under way; without a second signal it has `shutdownTimeoutMs`",
  });
}

/** Stops. Returns the signal that came meanwhile, which cuts what is under way. */
async function stopOrCut(
  manager: Manager,
  { clock }: RunOptions["runtime"],
): Promise<NodeJS.Signals | undefined> {
  const began = clock.monotonic();
  let cutBy: NodeJS.Signals | undefined;
  const stopListening = (): void => {
    process.off("SIGINT", cut);
    process.off("SIGTERM", cut);
  };
  const cut = (name: NodeJS.Signals): void => {
    if (clock.monotonic() - began < sameMs) return;
    stopListening();
    cutBy = name;
    void manager.stop({ timeoutMs: 0 });
  };
  process.on("SIGINT", cut);
  process.on("SIGTERM", cut);
  try {
    await manager.stop();
  } finally {
    stopListening();
  }
  return cutBy;
}

/** Listens for the signals that end the process. */
function asked(
  signal: AbortSignal | undefined,
  stopping: AbortSignal,
): {
  readonly promise: Promise<void>;
  isAsked(): boolean;
  stopListening(): void;
} {
  let end = (): void => {};
  let isAsked = false;
  const promise = new Promise<void>((resolve) => {
    end = () => {
      isAsked = true;
      resolve();
    };
  });
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  stopping.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  return {
    promise,
    isAsked: () => isAsked,
    stopListening() {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      signal?.removeEventListener("abort", end);
      stopping.removeEventListener("abort", end);
    },
  };
}
