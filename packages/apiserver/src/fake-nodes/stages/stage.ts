// The vocabulary of stages: a stage says which objects it is about, when they are due, and what
// becomes of them. Types only. It is small on purpose, and close to the Stage of KWOK, whose files
// are read as well (parse-stages.ts).
// Upstream: sigs.k8s.io/kwok/pkg/apis/v1alpha1/stage_types.go.
import type { Json } from "homeostat/api";

/** A step in the life of objects. Of several that fit one object, one is chosen by weight. */
export interface Stage {
  /** Unique among stages. */
  readonly name: string;
  readonly for: { readonly apiVersion: string; readonly kind: string };
  /** Which objects; all of that kind where it is left out. */
  readonly when?: StageSelector;
  /** How long an object fits before the stage is played; at once where it is left out. */
  readonly after?: StageDelay;
  /** Default 1; 0 means only where nothing else fits. */
  readonly weight?: number;
  /** A path to a number, which counts instead of `weight` where it is there. */
  readonly weightFrom?: string;
  /** Switches the built-in stages of this kind off, for all its objects. */
  readonly replacesBuiltIn?: true;
  /** What happens, in this order. An object whose stage does nothing is held as it is. */
  readonly next?: StageEffect;
}

/** All must hold. */
export interface StageSelector {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly fields?: readonly StageRequirement[];
}

/**
 * What is found at a path, e.g. `.status.conditions[] | select(.type == "Ready") | .status`, is
 * compared as text.
 */
export interface StageRequirement {
  readonly path: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** With In and NotIn. */
  readonly values?: readonly string[];
}

/** A pause, long as the clock of the server's runtime has it. */
export interface StageDelay {
  readonly ms?: number;
  /**
   * A path to a duration (`30s`), a number of seconds or a time (`2024-01-01T00:00:00Z`), which
   * counts instead of `ms` where it is there.
   */
  readonly from?: string;
  /** Up to which it may last, by chance. */
  readonly jitterToMs?: number;
  /** As `from`, instead of `jitterToMs`. */
  readonly jitterFrom?: string;
  /** Doubles `ms` with each count but the first found at the path, up to `maxMs`. */
  readonly backOff?: { readonly count: string; readonly maxMs: number };
}

/** What becomes of an object. */
export interface StageEffect {
  /** What the kubelet does with the containers of a pod; the whole status follows from that. */
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
  /** The field under which the patch belongs, e.g. `status`. */
  readonly root?: string;
  readonly template: string;
}

/** What happens to containers; to those of `container` alone where it is given. */
export interface PodAction {
  /**
   * create: they wait; initialize: the next init container ends, or runs on as sidecar; start: they
   * run; crash: they ended and wait to be restarted; end: they ended for good, and the pod with
   * them; stop: as end, because the pod is deleted; evict: as end, because the node wants them
   * gone; observe: nothing, but readiness and resources are said anew.
   */
  readonly act: "create" | "initialize" | "start" | "crash" | "end" | "stop" | "evict" | "observe";
  readonly container?: string;
  /** With crash, end and stop; default 0, with crash 1. */
  readonly exitCode?: number;
  /** With crash and end, of the container: default Completed or Error. */
  readonly reason?: string;
  readonly message?: string;
}
