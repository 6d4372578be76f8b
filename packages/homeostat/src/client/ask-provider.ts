// Requests to an identity provider, over a connection of their own and through the environment's
// proxy.
import type { Runtime } from "../runtime/runtime.ts";
import { proxyFromEnvironment } from "./connection/proxy-from-environment.ts";
import { exchange } from "./exchange.ts";
import type { AskProvider } from "./kubeconfig/oidc-tokens.ts";
import { createUndiciTransport } from "./undici-transport.ts";

const timeoutMs = 30_000;

/** Creates the function that asks. */
export const createAskProvider =
  ({ clock }: Runtime): AskProvider =>
  async ({ url, ca, form, authorization }) => {
    const { origin, pathname, search } = new URL(url);
    const proxy = proxyFromEnvironment(origin, process.env);
    const transport = createUndiciTransport({
      server: origin,
      origin: "the identity provider",
      connections: 1,
      tls: ca === undefined ? {} : { ca },
      ...(proxy === undefined ? {} : { proxy }),
    });
    const request = {
      method: form === undefined ? "GET" : "POST",
      path: pathname + search,
      headers: {
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(form === undefined ? {} : { body: Buffer.from(form) }),
    };
    const hold = clock.hold?.();
    try {
      return await exchange(transport, request, { clock, timeoutMs });
    } finally {
      hold?.cancel();
      await transport.close();
    }
  };
