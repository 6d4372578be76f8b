// What a kind decides about its own objects on create, update and delete.
// Upstream: k8s.io/apiserver/pkg/registry/rest (RESTCreateStrategy, RESTUpdateStrategy,
// RESTDeleteStrategy, RESTGracefulDeleteStrategy).
import type { JsonObject } from "homeostat/api";
import type { FieldError } from "../errors/field-error.ts";
import type { ValidationContext, WriteContext } from "./write-context.ts";

/**
 * The decisions of a kind. Built-in kinds see objects in the storage version, custom resources in
 * the version of the request. Every function may mutate its first argument.
 */
export interface Strategy<T extends object = JsonObject> {
  readonly allowCreateOnUpdate: boolean;
  /** PUT without resourceVersion is allowed (most built-ins) or 422 (custom resources, leases). */
  readonly allowUnconditionalUpdate: boolean;
  /**
   * Policy used when a delete names none: ReplicationControllers and Jobs orphan, all else is
   * background.
   */
  readonly defaultPropagation: "Background" | "Orphan";
  /** A warning for deletes that name no policy and so get `defaultPropagation`. */
  readonly propagationWarning?: string;
  /**
   * DELETE answers the object rather than a Status (Pod, Service, ServiceAccount, …); OpenAPI may
   * leave that out.
   */
  readonly deleteReturnsObject: boolean | "undocumented";
  /**
   * Allocates cluster addresses and node ports and enters them in the object, before preparation
   * and validation. Throws an ApiStatusError when a pool is exhausted. Upstream: `BeginCreate` and
   * `BeginUpdate` of genericregistry.Store.
   */
  reserve?(object: T, old: T | undefined, context: WriteContext): Reservation;
  /** Sets and drops fields on create: generation, status, defaults that need the whole object. */
  prepareForCreate(object: T, context: WriteContext): void;
  /**
   * Sets and drops fields on update: keeps what this endpoint must not change, raises the
   * generation.
   */
  prepareForUpdate(object: T, old: T, context: WriteContext): void;
  /**
   * Validates a new object; collects every error. The registry has put the common metadata rules
   * (with `validateName`) in front of these.
   */
  validateCreate(object: T, context: ValidationContext): readonly FieldError[];
  /**
   * Validates a change. The registry has put in front: the common metadata rules with the
   * path-segment rule for names, and twice the rules on metadata changes, as upstream has them for
   * most kinds. A kind that validates the whole object again calls `validateObjectMeta` itself.
   */
  validateUpdate(object: T, old: T, context: ValidationContext): ValidationResult;
  /** "common": the kind's own rules do not repeat those on metadata changes, as others do. */
  readonly metadataChanges?: "common" | "repeated";
  /** Validates metadata.name beyond presence; returns a message for every violation. */
  readonly validateName: (name: string, prefixOnly: boolean) => readonly string[];
  /**
   * Warnings on a new object that has passed validation, in order. Pure. Upstream:
   * `WarningsOnCreate` of rest.RESTCreateStrategy.
   */
  warningsOnCreate(object: T, context: ValidationContext): readonly string[];
  /** The same for a change. Upstream: `WarningsOnUpdate` of rest.RESTUpdateStrategy. */
  warningsOnUpdate(object: T, old: T, context: ValidationContext): readonly string[];
  /** Paths (field-set form, `f:status`) that a write through this endpoint cannot own. */
  readonly resetFields: readonly (readonly string[])[];
  /**
   * Graceful deletion (pods): the grace period in seconds of a first delete, or undefined to delete
   * at once. `requested` is what the options ask for, if anything; never negative.
   */
  gracePeriod?(object: T, requested: number | undefined): number | undefined;
  /** For kinds whose deletion is held by more than metadata.finalizers. */
  readonly deletion?: DeletionRule<T>;
}

/** The errors of a change, or the errors and warnings. */
export type ValidationResult = readonly FieldError[] | ValidationOutcome;

/** The errors of a change, and what validation itself warns about. */
export interface ValidationOutcome {
  readonly errors: readonly FieldError[];
  /**
   * Sent even when errors refuse the change, unlike `warningsOnUpdate`: upstream's validation of
   * CEL rules sends them as it finds them. Upstream: validateExpressions in
   * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
   */
  readonly warnings: readonly string[];
}

/** What a write has allocated until its outcome is known. */
export interface Reservation {
  /** Called after the commit or the failure of the write; committed allocations stay. */
  release(): void;
}

/**
 * A deletion held back by more than metadata.finalizers, such as a namespace's spec.finalizers. The
 * first delete always marks.
 */
export interface DeletionRule<T extends object = JsonObject> {
  /** True while the object must stay although metadata.finalizers is empty. */
  holds(object: T): boolean;
  /**
   * Marks an object that is not being deleted yet: deletionTimestamp, phase, conditions. Replaces
   * the common marks.
   */
  mark(object: T, context: WriteContext): void;
  /** The first delete does not change metadata.finalizers, whatever propagation it requests. */
  readonly ignoresPropagation?: true;
}

/** The result with its warnings, of which most kinds have none. */
export const toOutcome = (result: ValidationResult): ValidationOutcome =>
  "errors" in result ? result : { errors: result, warnings: [] };
