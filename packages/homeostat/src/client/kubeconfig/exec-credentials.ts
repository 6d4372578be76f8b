// Credentials of a plug-in: run when they are needed, when they expire and when they are refused.
// Upstream: k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go.
import type { Runtime } from "../../runtime/runtime.ts";
import type { CertificateSource } from "../connection/changing-pools.ts";
import type { ClusterAccess, ExecPlugin } from "./cluster-access.ts";
import {
  type ExecCredential,
  formatExecInfo,
  isInteractive,
  parseExecCredential,
  type RunPlugin,
} from "./exec-credential.ts";

export interface ExecOptions {
  readonly access: ClusterAccess;
  readonly runtime: Runtime;
  /** Default: as a child process. */
  readonly run: RunPlugin | undefined;
}

/** Keeps a plug-in's credential until it expires; concurrent requests share one run. */
export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #options: ExecOptions;
  #held: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;
  #epoch = 0;

  constructor(plugin: ExecPlugin, options: ExecOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const { token } = await this.#current();
    return token ? { authorization: `Bearer ${token}` } : {};
  }

  async rejected(used?: string): Promise<boolean> {
    const { token } = this.#held ?? {};
    if (used !== undefined && token !== undefined && used !== `Bearer ${token}`) return true;
    await this.#renew();
    return true;
  }

  get certificates(): CertificateSource {
    const epoch = (): number => this.#epoch;
    return {
      get epoch() {
        return epoch();
      },
      current: async () => {
        // A request has just asked for headers: what expires at once is used all the same.
        const { cert, key } = this.#held ?? (await this.#current());
        return cert && key ? { cert, key } : undefined;
      },
    };
  }

  async #current(): Promise<ExecCredential> {
    const { clock } = this.#options.runtime;
    const held = this.#held;
    return held && (held.expiresAt === undefined || held.expiresAt >= clock.now())
      ? held
      : this.#renew();
  }

  #renew(): Promise<ExecCredential> {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(): Promise<ExecCredential> {
    const {
      access,
      runtime,
      run = (await import("./run-exec-plugin.ts")).runExecPlugin,
    } = this.#options;
    const interactive = isInteractive(this.#plugin);
    const info = formatExecInfo(this.#plugin, access, interactive);
    const next = await parseExecCredential(
      this.#plugin,
      await run(this.#plugin, info, interactive, runtime.clock),
    );
    const before = this.#held;
    this.#held = next;
    if (before && (before.cert !== next.cert || before.key !== next.key)) this.#epoch++;
    return next;
  }
}
