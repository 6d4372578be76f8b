// The embedded server in this process, on a clock that can jump.
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { createClient } from "homeostat/client";
import { createJumpingRuntime } from "../clock/jumping-runtime.ts";
import { pauseFor } from "../traffic/real-time.ts";
import { Traffic } from "../traffic/traffic.ts";
import { createUnheldRuntime } from "./keep-alive.ts";
import type { Place } from "./place.ts";
import type { TestClusterOptions } from "./test-cluster-options.ts";
import { toClusterError } from "./validate-options.ts";

/** Between two looks; nothing waits for it but what has not come yet. */
const pollMs = 1;

/** Starts a server without a port. @throws ERR_TEST_OPTION or a ServerError */
export async function openEmbedded(options: TestClusterOptions): Promise<Place> {
  const runtime = createJumpingRuntime(createUnheldRuntime());
  const traffic = new Traffic();
  const server = await startServer(options, { runtime, traffic });
  return {
    runtime,
    traffic,
    jumping: runtime,
    server,
    namespace: undefined,
    client: ({ operator, wrap = (transport) => transport, ...with_ }) =>
      createClient({
        transport: wrap(server.transport()),
        fieldManager: operator,
        userAgent: operator,
        runtime: with_.runtime,
      }),
    looks: 1,
    pause: () => pauseFor(pollMs),
    close: () => server.close(),
  };
}

async function startServer(
  { controlPlane, fakeNodes, stages, audit }: TestClusterOptions,
  { runtime, traffic }: Pick<Place, "runtime" | "traffic">,
): Promise<ApiServer> {
  try {
    return await startApiServer({
      listen: false,
      runtime,
      wrapTransport: (transport) => traffic.through(transport),
      ...(controlPlane === undefined ? {} : { controllers: controlPlane }),
      ...(fakeNodes === undefined ? {} : { fakeNodes }),
      ...(stages === undefined ? {} : { stages }),
      ...(audit === undefined ? {} : { audit }),
    });
  } catch (error) {
    throw toClusterError(error);
  }
}
