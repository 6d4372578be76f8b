// Runs validating policies on a request.
// Upstream:
// k8s.io/apiserver/pkg/admission/plugin/policy/validating/{dispatcher,policy_decision}.go.
import { ApiStatusError } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { type PluginServices, refuse } from "../admission-plugin.ts";
import { createAccessCheck } from "../cel/access-checks.ts";
import type { VersionedRequest } from "../cel/versioned-request.ts";
import { kindOf } from "../matching/equivalent-resources.ts";
import { convertedObjects } from "../matching/versioned-objects.ts";
import { AnnotationCollector, annotateFailure } from "./audit-annotations.ts";
import { collectParams } from "./collect-params.ts";
import type { Denial, ValidationEvaluator, ValidationOutcome } from "./evaluate-validations.ts";
import { isMatchFault, matchBinding, matchDefinition } from "./match-policy.ts";
import { namespaceOf, visibleNamespace } from "./namespace-object.ts";
import type { BoundPolicy, PolicyHook } from "./policy-source.ts";

type Hook = PolicyHook<ValidationEvaluator>;

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

/** Warns, and throws the first refusal. */
export async function dispatchValidating(
  hooks: readonly Hook[],
  request: AdmissionRequest,
  services: PluginServices,
): Promise<void> {
  const run = new ValidatingRun(request, services);
  for (const hook of hooks) await run.visit(hook);
  if (run.refusal) throw run.refusal;
}

/** What a policy was matched as, and what its bindings annotate. */
interface Visit {
  readonly matched: ServedResource;
  readonly collected: AnnotationCollector;
}

class ValidatingRun {
  readonly #request: AdmissionRequest;
  readonly #services: PluginServices;
  readonly #access;
  readonly #versions = new Map<ServedResource, VersionedRequest>();
  refusal: ApiStatusError | undefined;

  constructor(request: AdmissionRequest, services: PluginServices) {
    this.#request = request;
    this.#services = services;
    this.#access = createAccessCheck(services.authorizer, request.user);
  }

  async visit(hook: Hook): Promise<void> {
    const matched = matchDefinition(hook, this.#request, this.#services);
    if (isMatchFault(matched)) return this.#misconfigured(hook, undefined, matched.fault);
    if (!matched) return;
    if (hook.fault !== undefined) return this.#misconfigured(hook, undefined, hook.fault);
    const collected = new AnnotationCollector();
    for (const binding of hook.bindings)
      await this.#visitBinding(hook, binding, { matched, collected });
    collected.publish(hook.name, this.#request);
  }

  async #visitBinding(
    hook: Hook,
    binding: BoundPolicy,
    { matched, collected: annotations }: Visit,
  ): Promise<void> {
    const { objects } = this.#services;
    const match = matchBinding(binding, this.#request, this.#services);
    if (isMatchFault(match)) return this.#misconfigured(hook, binding, match.fault);
    if (!match) return;
    const { namespace } = this.#request;
    const collected = await collectParams(hook.params, binding.spec.paramRef, namespace, objects);
    if ("fault" in collected) return this.#misconfigured(hook, binding, collected.fault);
    if (!collected.params.length) return;
    const versioned = await this.#versionOf(matched);
    if ("fault" in versioned) return this.#misconfigured(hook, binding, versioned.fault);
    const input = {
      versioned,
      resource: matched,
      namespace: visibleNamespace(namespaceOf(this.#request, objects)),
      access: this.#access,
    };
    const outcomes = collected.params.map((params) => hook.evaluator({ ...input, params }));
    for (const outcome of outcomes) {
      this.#act(hook, binding, outcome);
      for (const { key, value } of outcome.annotations) annotations.add(key, value);
    }
  }

  async #versionOf(
    matched: ServedResource,
  ): Promise<VersionedRequest | { readonly fault: string }> {
    const request = this.#request;
    const known = this.#versions.get(matched);
    if (known) return known;
    try {
      const kind = kindOf(matched, request.subresource);
      const versioned = { ...(await convertedObjects(request, matched)), request, kind };
      this.#versions.set(matched, versioned);
      return versioned;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { fault: `failed to convert object version: ${error.message}` };
    }
  }

  #act(hook: Hook, binding: BoundPolicy, { denials, annotationErrors }: ValidationOutcome): void {
    for (const denial of denials) {
      for (const action of binding.spec.validationActions ?? []) {
        if (action === "Deny") this.#deny(hook, binding, denial);
        if (action === "Audit") annotateFailure(this.#request, binding, denial);
        if (action === "Warn")
          this.#request.warn(
            `Validation failed for ValidatingAdmissionPolicy '${hook.name}' with binding '${binding.name}': ${denial.message}`,
          );
      }
    }
    for (const message of annotationErrors) this.#deny(hook, binding, { message, index: 0 });
  }

  #misconfigured(hook: Hook, binding: BoundPolicy | undefined, fault: string): void {
    if (hook.spec.failurePolicy === "Ignore") return;
    const what = binding ? "binding" : "policy";
    this.#deny(hook, binding, { message: `failed to configure ${what}: ${fault}`, index: 0 });
  }

  /** The first denial decides. */
  #deny(hook: Hook, binding: BoundPolicy | undefined, { message, reason }: Denial): void {
    const by = binding ? ` with binding '${binding.name}'` : "";
    const text = `ValidatingAdmissionPolicy '${hook.name}'${by} denied request: ${message}`;
    this.refusal ??= denied(this.#request, text, reason ?? "Invalid");
  }
}

function denied(request: AdmissionRequest, message: string, reason: string): ApiStatusError {
  const { status } = refuse(request, message);
  return new ApiStatusError({
    ...status,
    reason,
    code: codes[reason] ?? 422,
    details: { ...status.details, causes: [{ message }] },
  });
}
