// parseStages as a public function: imports the parser on the first call.
import type { Stage } from "./fake-nodes/stages/stage.ts";

/**
 * Parses YAML documents of stages, in Homeostat's form or KWOK's. @throws ServerError
 * ERR_SERVER_STAGE that lists every error.
 */
export async function parseStages(text: string): Promise<readonly Stage[]> {
  const { parseStages: parse } = await import("./fake-nodes/stages/parse-stages.ts");
  return parse(text);
}
