// The functions that users write admission webhooks with. Names, paths, rules and review versions
// follow from the kind; what a cluster must decide (failure policy, selectors) is declared here.
// Upstream: k8s.io/api/admissionregistration/v1/types.go; paths are those of
// sigs.k8s.io/controller-runtime/pkg/builder/webhook.go.
import { parseApiVersion } from "../../api/gvk.ts";
import type { Kind, ObjectOf } from "../../api/kind.ts";
import type { Permission } from "../../api/permission.ts";
import type { JsonObject } from "../../api/json.ts";
import type {
  MutatingWebhook,
  ValidatingWebhook,
} from "../../k8s/admissionregistration/v1/models.ts";
import type {
  AdmissionContext,
  Draft,
  Operation,
  ReviewContext,
  Submitted,
} from "./admission-context.ts";
import { checkWebhook } from "./check-webhook.ts";
import type { Denial } from "./denial.ts";

/** What the API server is told of a webhook; the names are Kubernetes'. */
export interface WebhookOptions extends Pick<
  ValidatingWebhook,
  "matchPolicy" | "namespaceSelector" | "objectSelector" | "matchConditions"
> {
  /** Its name, a domain. Default: e.g. `validate.orders.v1.kitchen.example.com`. */
  readonly name?: string;
  /** Default: kubebuilder's, e.g. `/validate-kitchen-example-com-v1-order`. */
  readonly path?: string;
  /**
   * What it is called for, with subresources as `orders/status`, `pods/exec`. Default: the kind's
   * resource.
   */
  readonly resources?: readonly string[];
  /**
   * "NoneOnDryRun" for functions that write elsewhere and check `request.dryRun`. Default "None".
   */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** How long the API server waits, 1 to 30. Default 10. */
  readonly timeoutSeconds?: number;
  /**
   * What becomes of a write when the webhook cannot be reached, is late, or its function throws.
   * Default "Fail".
   */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** Rights that its functions use, through a client of yours. */
  readonly permissions?: readonly Permission[];
}

type Answer<T = never> = void | Denial | T | Promise<void | Denial | T>;

/** Options of a mutating webhook. */
export interface MutatingWebhookOptions<K extends Kind>
  extends WebhookOptions, Pick<MutatingWebhook, "reinvocationPolicy"> {
  /** Default: CREATE and UPDATE. */
  readonly operations?: readonly ("CREATE" | "UPDATE" | "CONNECT")[];
  /**
   * Changes `object`, or returns another one: what differs is sent as a patch. A denial is returned
   * or thrown.
   */
  mutate(
    context: AdmissionContext & {
      readonly object: Draft<Submitted<ObjectOf<K>>>;
      /** The object as it is, of an update. */
      readonly old?: ObjectOf<K>;
    },
  ): Answer<object>;
}

/** Options of a validating webhook: it is called for the operations that have a function. */
export interface ValidatingWebhookOptions<K extends Kind> extends WebhookOptions {
  create?(context: AdmissionContext & { readonly object: Submitted<ObjectOf<K>> }): Answer;
  update?(
    context: AdmissionContext & {
      readonly object: Submitted<ObjectOf<K>>;
      readonly old: ObjectOf<K>;
    },
  ): Answer;
  /** `object` is the one to be deleted. */
  delete?(context: AdmissionContext & { readonly object: ObjectOf<K> }): Answer;
  /** `object` has the options of the connection, such as a PodExecOptions. */
  connect?(context: AdmissionContext & { readonly object: JsonObject }): Answer;
}

/** What user code is called with: the context, and its objects as own properties. */
export type Reviewer = (context: ReviewContext & Record<string, unknown>) => unknown;

/** An admission webhook, as `defineMutatingWebhook` and `defineValidatingWebhook` return it. */
export interface AdmissionWebhook {
  readonly type: "mutating" | "validating";
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
  readonly resources: readonly string[];
  readonly operations: readonly Operation[];
  readonly options: WebhookOptions & Pick<MutatingWebhook, "reinvocationPolicy">;
  readonly reviewers: ReadonlyMap<Operation, Reviewer>;
}

/**
 * Defines a webhook that changes objects before they are validated.
 * @throws ERR_WEBHOOK_DEFINITION with every problem
 */
export function defineMutatingWebhook<K extends Kind>(
  kind: K,
  options: MutatingWebhookOptions<K>,
): AdmissionWebhook {
  checkWebhook("mutating", kind, options);
  const { mutate, operations = ["CREATE", "UPDATE"], ...others } = options;
  const reviewers = new Map(operations.map((one) => [one, mutate as unknown as Reviewer]));
  return toWebhook("mutating", kind, others, reviewers);
}

/**
 * Defines a webhook that accepts or refuses requests.
 * @throws ERR_WEBHOOK_DEFINITION with every problem
 */
export function defineValidatingWebhook<K extends Kind>(
  kind: K,
  options: ValidatingWebhookOptions<K>,
): AdmissionWebhook {
  checkWebhook("validating", kind, options);
  const { create, update, delete: remove, connect, ...others } = options;
  const given = { CREATE: create, UPDATE: update, DELETE: remove, CONNECT: connect };
  const reviewers = Object.entries(given).filter(([, reviewer]) => reviewer !== undefined);
  return toWebhook(
    "validating",
    kind,
    others,
    new Map(reviewers as unknown as [Operation, Reviewer][]),
  );
}

function toWebhook(
  type: AdmissionWebhook["type"],
  kind: Kind,
  options: WebhookOptions,
  reviewers: ReadonlyMap<Operation, Reviewer>,
): AdmissionWebhook {
  const { group, version } = parseApiVersion(kind.apiVersion)!;
  const verb = type === "mutating" ? "mutate" : "validate";
  const { name, path, resources = [kind.resource] } = options;
  return Object.freeze({
    type,
    kind,
    name: name ?? `${verb}.${kind.resource}.${version}.${group || "core"}`,
    path: path ?? `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.kind.toLowerCase()}`,
    resources,
    operations: [...reviewers.keys()],
    options,
    reviewers,
  });
}
