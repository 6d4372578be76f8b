// Candidates on a scripted server with a virtual clock, for tests.
import assert from "node:assert/strict";
import { createClient } from "../client/create-client.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { defaultTimings } from "./election-timings.ts";
import { Elector } from "./elector.ts";
import { createLeaseServer } from "./lease-server.suite.ts";

/** Candidates of one Lease on one server. */
export function arrange(runtime = createVirtualRuntime(), server = createLeaseServer()) {
  const client = createClient({ transport: server.transport, runtime, namespace: "home" });
  const stand = (identity: string) => {
    const said: string[] = [];
    const elector = new Elector({
      client,
      runtime,
      name: "op",
      namespace: "home",
      identity,
      timings: defaultTimings,
      led: () => void said.push("led"),
      lost: (why) => void said.push(`lost: ${why}`),
      holder: (holder) => void said.push(`holder ${holder}`),
      event: (_, text) => void said.push(`event ${text}`),
      warn: (message) => void said.push(`warn ${message}`),
    });
    elector.start();
    const { fence } = elector;
    const fenced = client.with({ fence: fence.refusal, requested: fence.sends });
    return { elector, said: () => said.splice(0), fenced };
  };
  return { runtime, server, stand };
}

/** A leader, and a standby that knows it. */
export async function leaderAndStandby() {
  const arranged = arrange();
  const { runtime, server, stand } = arranged;
  const leader = stand("one");
  await runtime.advance(100);
  const standby = stand("two");
  await runtime.advance(100);
  assert.deepEqual(leader.said(), [
    "holder undefined",
    "holder one",
    "event one became leader",
    "led",
  ]);
  assert.deepEqual(standby.said(), ["holder one"]);
  server.requests();
  return { ...arranged, leader, standby };
}
