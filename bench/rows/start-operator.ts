// Starts the operator of a row and queries it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Client } from "homeostat/client";
import type { TracingState } from "../peers/tracing-peer.ts";
import type { Place } from "../places/place.ts";

/** What can be asked of an operator, and the answers. */
export interface OperatorAnswers {
  readonly progress: { readonly reconciled: number; readonly idle: boolean };
  /** When each order's first reconcile began, in milliseconds of the system's monotonic clock. */
  readonly entered: readonly (readonly [name: string, at: number])[];
  /**
   * How long the first list took, and heap and buffers beyond those of an operator that has not
   * listed yet.
   */
  readonly memory: { readonly syncMs: number; readonly heldBytes: number };
}

/** An operator at work in a process of its own. */
export interface Operator {
  readonly pid: number;
  ask<Question extends keyof OperatorAnswers>(
    question: Question,
  ): Promise<OperatorAnswers[Question]>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("operator.ts", import.meta.url));

/** What watches an operator from inside, each with what comes before it. */
export const watchStates = ["nothing", "metrics", "introspection", "watchdog"] as const;
export type WatchState = (typeof watchStates)[number];

/** How an operator runs. */
export interface OperatorChoices {
  readonly workers: number;
  /** Default: off. */
  readonly tracing?: TracingState;
  /** Default: nothing. */
  readonly watched?: WatchState;
  /** Default: the one beside this file. */
  readonly program?: string;
}

/**
 * Starts an operator in the client's namespace; resolves when its controller is at work. No
 * workers: it only watches.
 */
export async function startOperator(
  place: Place,
  client: Client,
  options: OperatorChoices,
): Promise<Operator> {
  const { workers, tracing = "off", watched = "nothing" } = options;
  const child = fork(
    options.program ?? program,
    [place.kubeconfigPath, client.namespace, String(workers), tracing, watched],
    { execArgv: ["--conditions=homeostat-source", "--expose-gc"] },
  );
  const [word] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [unknown];
  if (word !== "started")
    throw new Error(
      `start operator: expected it to say "started", it ended with ${String(word)}; its own output says why`,
    );
  return {
    pid: child.pid!,
    async ask(question) {
      const answer = once(child, "message");
      child.send(question);
      return ((await answer) as [never])[0];
    },
    async stop() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
