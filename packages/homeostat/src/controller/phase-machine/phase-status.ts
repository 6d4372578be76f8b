// The schema of the field of status in which a phase machine keeps its state.
import * as z from "zod";
import { k } from "../../api/resource/k.ts";
import { checkArgument } from "../../util/call-options.ts";
import type { PhaseState } from "./phase.ts";

/**
 * The schema of a {@link PhaseState}, for the status of a resource: `status: z.object({ machine:
 * phaseStatus("Draining", "Upgrading", "Done") })`. The server then refuses other phases, and reads
 * have their names as type; keep a name as long as objects are in that phase, or list it in `undo`.
 * Without names, any phase is taken.
 */
export function phaseStatus<const Name extends string = string>(...phases: readonly Name[]) {
  for (const phase of phases) checkArgument("phaseStatus(…)", ["a phase", phase], "a string");
  const name = (phases.length > 0 ? z.enum(phases) : z.string()) as z.ZodType<Name, Name>;
  return z.object({
    phase: name,
    since: k.time(),
    attempts: z.int(),
    acts: z.boolean(),
    undo: z.array(name),
    failure: z.string().optional(),
    pausedSince: k.time().optional(),
    key: z.string().optional(),
  } satisfies Record<keyof PhaseState, z.ZodType>);
}
