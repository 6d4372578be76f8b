// Webhooks under test, each a program in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { homeostat } from "../places/homeostat.ts";
import { published } from "../places/published-command.ts";

/** Where a webhook serves. */
export interface WebhookPlace {
  /** Of tls.crt, tls.key and ca.crt. */
  readonly folder: string;
  readonly port: number;
}

/** A serving webhook. */
export interface RunningWebhook {
  readonly pid: number;
  stop(): Promise<void>;
}

/** A framework to write webhooks with. */
export interface WebhookPeer {
  readonly name: string;
  start(place: WebhookPlace): Promise<RunningWebhook>;
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Ours registers with an API server first. */
export const homeostatWebhook: WebhookPeer = {
  name: "homeostat",
  async start({ folder, port }) {
    const server = await homeostat.start();
    const flags = ["--max-semi-space-size=2", file("homeostat-webhook.ts")];
    const args = [...flags, server.kubeconfigPath, folder, String(port)];
    const webhook = await serving(process.execPath, args, published).catch(
      async (error: unknown) => {
        await server.stop();
        throw error;
      },
    );
    const stop = async (): Promise<void> => {
      await webhook.stop();
      await server.stop();
    };
    return { ...webhook, stop };
  },
};

const compiled = file("controller-runtime/.cache/operator");

/** A typed validator on controller-runtime's webhook server. */
export const controllerRuntimeWebhook: WebhookPeer = {
  name: "controller-runtime",
  start: ({ folder, port }) => serving(compiled, ["webhook", folder, String(port)]),
};

/** Those that are built. */
export const webhookPeers: readonly WebhookPeer[] = existsSync(compiled)
  ? [homeostatWebhook, controllerRuntimeWebhook]
  : [homeostatWebhook];

async function serving(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningWebhook> {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const ended = once(child, "exit");
  await Promise.race([
    once(child.stdout, "data"),
    ended.then(([code]) => {
      throw new Error(`the webhook ended with ${String(code)}; its own output says why`);
    }),
  ]);
  return {
    pid: child.pid!,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
