// The result of validating one value: its faults, and how many checks were made. Among failing
// branches of anyOf and oneOf the one with the most checks is reported.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate/result.go.
import type { SchemaFault } from "./schema-fault.ts";

/** Faults and the count of checks; faults with the same text count once. */
export class Findings {
  readonly #faults = new Map<string, SchemaFault>();
  matches = 0;

  get failed(): boolean {
    return this.#faults.size > 0;
  }

  faults(): readonly SchemaFault[] {
    return [...this.#faults.values()];
  }

  add(fault: SchemaFault): void {
    if (!this.#faults.has(fault.text)) this.#faults.set(fault.text, fault);
  }

  merge(other: Findings): void {
    for (const fault of other.#faults.values()) this.add(fault);
    this.matches += other.matches;
  }

  /** Tolerates all faults. */
  clear(): void {
    this.#faults.clear();
  }
}
