// The public door to files of stages: loads what reads them only when it is called.
import type { Stage } from "./fake-nodes/stages/stage.ts";

/**
 * Reads a YAML file of stages, in our own words or KWOK's. @throws ServerError ERR_SERVER_STAGE
 * naming everything that is wrong.
 */
export async function parseStages(text: string): Promise<readonly Stage[]> {
  const { parseStages: parse } = await import("./fake-nodes/stages/parse-stages.ts");
  return parse(text);
}
