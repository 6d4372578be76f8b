// Elections between client-go's elector, controller-runtime's manager and ours, as processes on one
// server. ELECTION_CASES=TEXT plays those whose name has the text.
import { join } from "node:path";
import type { CaseResult, Suite, Surroundings } from "../suite.ts";
import { cases, type NamedCase } from "./cases.ts";
import { Play } from "./play.ts";

const programOf = ({ cache }: Surroundings): string => join(cache, "candidate");

export const election: Suite = {
  client: "client-go v0.36.3 and controller-runtime v0.24.1 (leader election)",
  prepare: async (at) =>
    void (await at.run(["go", "build", "-p", "2", "-o", programOf(at), "./candidate"], {
      cwd: join(at.here, "go"),
      limitMs: 1_200_000,
    })),
  async run(at) {
    const results: CaseResult[] = [];
    const asked = process.env["ELECTION_CASES"] ?? "";
    for (const [name, one] of Object.entries(cases))
      if (name.includes(asked)) {
        results.push(await runCase(at, name, one));
        if (process.env["OUTSIDE_VERBOSE"]) console.log(results.at(-1));
      }
    return results;
  },
};

async function runCase(
  at: Surroundings,
  name: string,
  { play, judged }: NamedCase,
): Promise<CaseResult> {
  const stage = await Play.open({ kubeconfig: at.kubeconfig, goProgram: programOf(at) });
  try {
    const seen = await play(stage);
    if (judged !== false) await stage.judge();
    return { name, ok: true, seen };
  } catch (error) {
    return { name, ok: false, seen: String(error).replaceAll("\n", " | ") };
  } finally {
    await stage.close();
  }
}
