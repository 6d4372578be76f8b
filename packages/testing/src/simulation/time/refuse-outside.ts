// What a simulated process cannot do: the world could neither repeat it nor cut it. It is refused
// where it is called, so that the error's stack names the file and line.
import childProcess from "node:child_process";
import dgram from "node:dgram";
import net from "node:net";
import { HomeostatError } from "homeostat";

/** A function that is refused. */
export interface Refusal {
  readonly owner: object;
  readonly name: string;
  what(): Error;
}

const refusal = (owner: object, name: string, called: string): Refusal => ({
  owner,
  name,
  what: () =>
    new HomeostatError(
      "ERR_SIMULATION_OUTSIDE",
      `${called} within a simulated process: it reaches outside of the simulation, which could not repeat it`,
      { hint: "give the controller what it calls as a parameter, and the scenario a fake of it" },
    ),
});

export const refusals: readonly Refusal[] = [
  refusal(globalThis, "fetch", "fetch()"),
  refusal(net.Socket.prototype, "connect", "a connection is opened"),
  refusal(net.Server.prototype, "listen", "a port is opened"),
  refusal(dgram, "createSocket", "a UDP socket is opened"),
  ...["spawn", "exec", "execFile", "fork", "spawnSync", "execSync", "execFileSync"].map((name) =>
    refusal(childProcess, name, `${name}()`),
  ),
];
