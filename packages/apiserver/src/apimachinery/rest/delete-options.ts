// The options of a delete, after parsing.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/types.go (DeleteOptions, Preconditions).

/** How to delete an object; `uid` and `resourceVersion` are preconditions. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  /** The body has preconditions, if only empty ones. */
  readonly isPreconditioned?: boolean;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly dryRun: boolean;
}
