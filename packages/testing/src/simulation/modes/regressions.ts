// Plans that have failed once, kept in a folder beside the tests, and run first from then on.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { equalJson, type Json } from "homeostat/api";
import type { Plan } from "../run/plan.ts";

/** The plans of one scenario. */
export class Regressions {
  readonly #folder: string | undefined;
  readonly #file: string;

  /** Without a folder nothing is kept. */
  constructor(folder: string | URL | undefined, scenario: string) {
    this.#folder = folder instanceof URL ? fileURLToPath(folder) : folder;
    const name = scenario.replaceAll(/[^\p{L}\p{N}]+/gu, "-");
    this.#file = join(this.#folder ?? "", `${name}.json`);
  }

  plans(): readonly Plan[] {
    if (this.#folder === undefined) return [];
    try {
      return (JSON.parse(readFileSync(this.#file, "utf8")) as { plans: readonly Plan[] }).plans;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  keep(plan: Plan): void {
    if (this.#folder === undefined) return;
    const plans = this.plans();
    if (plans.some((kept) => equalJson(kept as unknown as Json, plan as unknown as Json))) return;
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#file, `${JSON.stringify({ plans: [...plans, plan] }, null, 2)}\n`);
  }
}
