// Runs a manager until the process is asked to end.
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { Manager } from "./manager-options.ts";
import { checkOptions } from "../util/call-options.ts";

/**
 * Starts, and stops on a signal of the process or when `signal` aborts, also while it starts. Ends
 * with a stop that others have asked for: `stopping` then aborts. @throws ERR_MANAGER_OPTIONS, and
 * what `lost` rejects with
 */
export async function runUntilAsked(
  manager: Manager,
  options: Parameters<Manager["run"]>[0],
  stopping: AbortSignal,
  lost: Promise<never> = new Promise(() => {}),
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
  } finally {
    ended.stopListening();
    await manager.stop();
  }
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
