// The types of stages. A stage selects objects, delays, and has an effect on them. Small on
// purpose, and close to the Stage of KWOK, whose files parse-stages.ts accepts as well.
// Upstream: sigs.k8s.io/kwok/pkg/apis/v1alpha1/stage_types.go.
import type { Json } from "homeostat/api";

/** A step in the lifecycle of objects. If several match an object, weight chooses one. */
export interface Stage {
  /** Unique among stages. */
  readonly name: string;
  readonly for: { readonly apiVersion: string; readonly kind: string };
  /** Selects objects; default: all objects of the kind. */
  readonly when?: StageSelector;
  /** How long an object must match before the stage is played; default: not at all. */
  readonly after?: StageDelay;
  /** Default 1. A stage of weight 0 is chosen only if no other stage matches. */
  readonly weight?: number;
  /** A path to a number that overrides `weight`. */
  readonly weightFrom?: string;
  /** Disables the built-in stages of this kind, for all its objects. */
  readonly replacesBuiltIn?: true;
  /** The effect, in field order. A stage without an effect keeps the object as it is. */
  readonly next?: StageEffect;
}

/** Requirements that must all hold. */
export interface StageSelector {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly fields?: readonly StageRequirement[];
}

/**
 * A requirement on the values at a path, e.g.
 * `.status.conditions[] | select(.type == "Ready") | .status`. Values are compared as strings.
 */
export interface StageRequirement {
  readonly path: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** For In and NotIn. */
  readonly values?: readonly string[];
}

/** A delay on the clock of the server's runtime. */
export interface StageDelay {
  readonly ms?: number;
  /**
   * A path to a duration (`30s`), a number of seconds or a time (`2024-01-01T00:00:00Z`) that
   * overrides `ms`.
   */
  readonly from?: string;
  /** The upper bound of a random delay. */
  readonly jitterToMs?: number;
  /** As `from`; overrides `jitterToMs`. */
  readonly jitterFrom?: string;
  /** Doubles `ms` for each count above 1 at the path `count`, up to `maxMs`. */
  readonly backOff?: { readonly count: string; readonly maxMs: number };
}

/** The effect of a stage on an object. */
export interface StageEffect {
  /** The kubelet's action on the containers of a pod. Determines the whole status. */
  readonly pod?: PodAction;
  /** Merged into the status: strategically for kinds of v1, as JSON merge for others. */
  readonly status?: Readonly<Record<string, Json>>;
  /** The same, as a Go template of YAML. */
  readonly statusTemplate?: string;
  /** Further patches, each a Go template of YAML. */
  readonly patches?: readonly StagePatch[];
  readonly event?: {
    readonly type: "Normal" | "Warning";
    readonly reason: string;
    readonly message: string;
  };
  readonly finalizers?: {
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
    readonly empty?: true;
  };
  readonly delete?: true;
}

/** One patch of an object or a subresource. */
export interface StagePatch {
  readonly subresource?: string;
  readonly type: "json" | "merge" | "strategic";
  /** The field that the patch is nested in, e.g. `status`. */
  readonly root?: string;
  readonly template: string;
}

/** An action on the containers of a pod, or on `container` only. */
export interface PodAction {
  /**
   * create: containers wait. initialize: the next init container completes, or keeps running as a
   * sidecar. start: containers run. crash: containers exit and wait for a restart. end: containers
   * exit, and the pod finishes. stop: as end, because the pod is deleted. evict: as end, because
   * the node evicts the pod. observe: updates readiness and resources only.
   */
  readonly act: "create" | "initialize" | "start" | "crash" | "end" | "stop" | "evict" | "observe";
  readonly container?: string;
  /** For crash, end and stop; default 1 for crash, else 0. */
  readonly exitCode?: number;
  /** The reason of the container for crash and end; default Completed or Error. */
  readonly reason?: string;
  readonly message?: string;
}
