// The part of a kubelet that restarts a container: it notices an exit by listing containers, and
// waits longer before each further restart of one that fails. What comes on top in a cluster, such
// as scheduling, sandboxes and images, is not simulated: it would only make a restart slower.
// Upstream: k8s.io/kubernetes/pkg/kubelet/kubelet.go (genericPlegRelistPeriod,
// initialCrashLoopBackOff, MaxCrashLoopBackOff), kuberuntime/kuberuntime_manager.go (doBackOff).
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Containers are listed once a second: an exit is seen after half of it on average. */
export const noticeMs = 500;
export const firstBackOffMs = 10_000;
const longestBackOffMs = 300_000;

const program = fileURLToPath(new URL("replica.ts", import.meta.url));

/** What happened, in ms of the wall clock. */
export interface Happening {
  readonly at: number;
  readonly what: string;
}

/** One container, restarted until `end`. */
export class Container {
  readonly name: string;
  readonly #args: (life: number) => readonly string[];
  readonly #happened: (happening: Happening) => void;
  readonly #ending = new AbortController();
  #child: ChildProcess | undefined;
  #isReplaced = false;
  #backOffMs = 0;
  #lives = 0;
  #running = Promise.resolve();

  /** `args` are those of replica.ts, for each life of the container. */
  constructor(
    name: string,
    args: (life: number) => readonly string[],
    happened: (happening: Happening) => void,
  ) {
    this.name = name;
    this.#args = args;
    this.#happened = happened;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The process dies: the container is restarted. */
  crash(): void {
    this.#child!.kill("SIGKILL");
  }

  /** The pod is replaced, as in an update: its successor has no back-off. */
  replace(): void {
    this.#isReplaced = true;
    this.#child!.kill("SIGTERM");
  }

  async end(): Promise<void> {
    this.#ending.abort();
    this.#child?.kill("SIGKILL");
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#live();
      await this.#wait().catch(() => {});
    }
  }

  async #live(): Promise<void> {
    const child = spawn(process.execPath, [program, ...this.#args(++this.#lives)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [at, ...what] = line.split(" ");
      this.#happened({ at: Number(at), what: what.join(" ") });
    });
    await once(child, "close");
    process.off("exit", kill);
  }

  async #wait(): Promise<void> {
    const { signal } = this.#ending;
    const isReplaced = this.#isReplaced;
    this.#isReplaced = false;
    const backOffMs = isReplaced ? 0 : this.#backOffMs;
    if (!signal.aborted) this.#say(isReplaced ? "process has ended" : "process has died");
    await sleep(Math.max(noticeMs, backOffMs), undefined, { signal });
    this.#backOffMs = isReplaced ? 0 : Math.min(backOffMs * 2 || firstBackOffMs, longestBackOffMs);
    this.#say(backOffMs > 0 ? `restarted after a back-off of ${backOffMs} ms` : "restarted");
  }

  #say(what: string): void {
    this.#happened({ at: Date.now(), what });
  }
}
