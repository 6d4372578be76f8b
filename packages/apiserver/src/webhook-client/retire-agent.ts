// Lets go of the connections of an agent that is used no more.
import type { Agent } from "node:http";

/** Idle connections are closed now, others after their response. */
export function retireAgent(agent: Pick<Agent, "freeSockets" | "maxFreeSockets">): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}
