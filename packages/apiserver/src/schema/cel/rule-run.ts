// One run of all rules over one object: where a rule runs, and what has been found and spent so
// far.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (validator.Validate, ratchetingOptions).
import type { Json } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { CorrelatedObject } from "../validation/correlated-object.ts";

/** The new and old value of a node, or of the nearest correlated node above it. */
export interface Ratchet {
  readonly current: CorrelatedObject | undefined;
  readonly parent: CorrelatedObject | undefined;
}

/** A value that rules run on. */
export interface RuleSubject {
  readonly value: Json;
  /** Undefined where nothing correlates. */
  readonly old: Json | undefined;
  /** `spec.size`; "" for a whole object. */
  readonly path: string;
  readonly ratchet: Ratchet;
}

/** The errors and warnings found and the cost units left. */
export class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  budget: number;

  constructor(budget: number) {
    this.budget = budget;
  }

  get isOver(): boolean {
    return this.budget < 0;
  }

  /** Adds an error and runs no more rules. */
  stop(error: FieldError): void {
    this.errors.push(error);
    this.budget = -1;
  }
}
