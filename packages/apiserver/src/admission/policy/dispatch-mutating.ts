// Runs mutating policies on a request.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go,
// pkg/admission/plugin/policy/mutating/{dispatcher,reinvocationcontext}.go.
import { ApiStatusError, equalJson, type JsonObject } from "homeostat/api";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { type PluginServices, refuse } from "../admission-plugin.ts";
import { PluginReinvocation } from "../plugin-reinvocation.ts";
import { createAccessCheck } from "../cel/access-checks.ts";
import type { ExpressionInput } from "../cel/expression-variables.ts";
import type { VersionedRequest } from "../cel/versioned-request.ts";
import { kindOf } from "../matching/equivalent-resources.ts";
import { resourceOfKind } from "../matching/stated-kind.ts";
import {
  codecOf,
  convertAnyObject,
  convertedObjects,
  replaceObject,
} from "../matching/versioned-objects.ts";
import type { MutationTarget } from "./apply-mutation.ts";
import { collectParams } from "./collect-params.ts";
import type { MutationEvaluator, Mutator } from "./evaluate-mutations.ts";
import { isMatchFault, matchBinding, matchDefinition } from "./match-policy.ts";
import { MutationError } from "./mutation-json.ts";
import { namespaceOf, visibleNamespace } from "./namespace-object.ts";
import type { BoundPolicy, PolicyHook } from "./policy-source.ts";

type Hook = PolicyHook<MutationEvaluator>;

/** A policy with one binding and parameter that the request is for. */
interface Invocation {
  readonly hook: Hook;
  readonly binding: BoundPolicy;
  readonly version: Version;
  readonly params: JsonObject | undefined;
}

/** The request in one version, with the object as mutations have left it. */
interface Version {
  readonly resource: ServedResource;
  request: VersionedRequest;
  isMutated: boolean;
}

interface PolicyFault {
  readonly message: string;
  /** Forbidden when absent. */
  readonly reason?: string;
}

/** Changes the object of the request in place. Throws the refusals of all policies as one. */
export async function dispatchMutating(
  hooks: readonly Hook[],
  request: AdmissionRequest,
  services: PluginServices,
): Promise<void> {
  const run = new MutatingRun(request, services);
  const invocations: Invocation[] = [];
  for (const hook of hooks) invocations.push(...(await run.invocationsOf(hook)));
  if (invocations.length) await run.invoke(invocations);
  if (run.faults.length) throw refusalOf(request, run.faults);
}

class MutatingRun {
  readonly #request: AdmissionRequest;
  readonly #services: PluginServices;
  readonly #versions = new Map<ServedResource, Version>();
  readonly faults: PolicyFault[] = [];

  constructor(request: AdmissionRequest, services: PluginServices) {
    this.#request = request;
    this.#services = services;
  }

  async invocationsOf(hook: Hook): Promise<readonly Invocation[]> {
    const matched = matchDefinition(hook, this.#request, this.#services);
    const fault = isMatchFault(matched) ? matched.fault : matched && hook.fault;
    if (fault !== undefined) this.#misconfigured(hook, undefined, fault);
    if (fault !== undefined || !matched || isMatchFault(matched)) return [];
    const invocations: Invocation[] = [];
    for (const binding of hook.bindings)
      invocations.push(...(await this.#invocationsOfBinding(hook, binding, matched)));
    return invocations;
  }

  async #invocationsOfBinding(
    hook: Hook,
    binding: BoundPolicy,
    matched: ServedResource,
  ): Promise<readonly Invocation[]> {
    const { objects } = this.#services;
    const match = matchBinding(binding, this.#request, this.#services);
    if (isMatchFault(match)) return this.#misconfigured(hook, binding, match.fault);
    if (!match) return [];
    const version = await this.#versionOf(matched);
    if ("fault" in version) return this.#misconfigured(hook, undefined, version.fault);
    const { namespace } = this.#request;
    const collected = await collectParams(hook.params, binding.spec.paramRef, namespace, objects);
    if ("fault" in collected) return this.#misconfigured(hook, binding, collected.fault);
    return collected.params.map((params) => ({ hook, binding, version, params }));
  }

  async #versionOf(resource: ServedResource): Promise<Version | { readonly fault: string }> {
    const request = this.#request;
    const known = this.#versions.get(resource);
    if (known) return known;
    const kind = kindOf(resource, request.subresource);
    try {
      const versioned = { ...(await convertedObjects(request, resource)), request, kind };
      const version: Version = { resource, request: versioned, isMutated: false };
      this.#versions.set(resource, version);
      return version;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { fault: error.message };
    }
  }

  async invoke(invocations: readonly Invocation[]): Promise<void> {
    const reinvocation = PluginReinvocation.of(this.#request, "MutatingAdmissionPolicy");
    reinvocation.start(this.#request.object);
    const common = {
      namespace: visibleNamespace(namespaceOf(this.#request, this.#services.objects)),
      access: createAccessCheck(this.#services.authorizer, this.#request.user),
    };
    let last: Version | undefined;
    for (const invocation of invocations) {
      const { hook, version, params } = invocation;
      const input = { ...common, resource: version.resource, params };
      if (!this.#isMatched(invocation, input)) continue;
      const key = keyOf(invocation);
      if (!reinvocation.runs(key)) continue;
      const before = version.request.object;
      for (const mutator of hook.evaluator.mutators) {
        last = version;
        this.#mutate(invocation, mutator, input);
      }
      if (!equalJson(before ?? null, version.request.object ?? null)) reinvocation.changed();
      if (hook.evaluator.reinvocation === "IfNeeded") reinvocation.ran(key);
    }
    if (last?.isMutated) {
      reinvocation.changed();
      const { object, resource } = this.#request;
      // The last version that was mutated wins, as upstream.
      replaceObject(object!, await convertAnyObject(last.request.object!, last.resource, resource));
    }
    reinvocation.finish(this.#request.object);
  }

  #isMatched(
    { hook, binding, version }: Invocation,
    input: Omit<ExpressionInput, "versioned">,
  ): boolean {
    const outcome = hook.evaluator.matcher?.({ ...input, versioned: version.request });
    if (!outcome) return true;
    if ("error" in outcome)
      this.#fail(hook, binding, { message: outcome.error, reason: "Invalid" });
    return "matches" in outcome && outcome.matches;
  }

  /** A mutation that fails leaves the object to the next one. */
  #mutate(
    { hook, binding, version }: Invocation,
    mutator: Mutator,
    input: Omit<ExpressionInput, "versioned">,
  ): void {
    const { object } = version.request;
    if (!object) return;
    try {
      const target = targetOf(version, this.#request.subresource, this.#services);
      const mutated = mutator(target, object, { ...input, versioned: version.request });
      assertVersion(this.#request, target, version);
      version.request = { ...version.request, object: mutated };
      version.isMutated = true;
    } catch (error) {
      if (!(error instanceof MutationError)) throw error;
      this.#fail(hook, binding, { message: error.message, reason: "Invalid" });
    }
  }

  #misconfigured(hook: Hook, binding: BoundPolicy | undefined, fault: string): readonly [] {
    const what = binding ? "binding" : "policy";
    this.#fail(hook, binding, { message: `failed to configure ${what}: ${fault}` });
    return [];
  }

  #fail(hook: Hook, binding: BoundPolicy | undefined, fault: PolicyFault): void {
    if (hook.spec.failurePolicy === "Ignore") return;
    const by = binding ? `'${hook.name}' with binding '${binding.name}'` : `"${hook.name}"`;
    this.faults.push({ ...fault, message: `policy ${by} denied request: ${fault.message}` });
  }
}

function keyOf({ hook, binding, params }: Invocation): string {
  const param = params ? `${metaString(params, "namespace")}/${metaString(params, "name")}` : "";
  return `${hook.name}/${binding.name}/${param}`;
}

/** Upstream converts typed objects between versions only by way of the internal one. */
function assertVersion(
  { kind }: AdmissionRequest,
  { codec }: MutationTarget,
  version: Version,
): void {
  const from = version.request.kind;
  if (
    codec?.goType !== "unstructured" &&
    (from.version !== kind.version || from.group !== kind.group)
  )
    throw new MutationError(
      `converting (${from.version}.${from.kind}) to (${kind.version}.${kind.kind}): unknown conversion`,
    );
}

function targetOf(
  { resource, request: { kind } }: Version,
  subresource: string,
  { catalog, scaleCodec }: PluginServices,
): MutationTarget {
  const isScale = kind.group === "autoscaling" && kind.kind === "Scale";
  const isPublished = kind.group === resource.group && kind.version === resource.version;
  return {
    kind,
    isCustom: resource.codec.goType === "unstructured",
    codec: isScale ? scaleCodec : codecOf(resource, subresource, kind.kind),
    schema: isPublished ? "published" : "unpublished",
    codecOfKind: (other) => resourceOfKind(catalog, other)?.codec,
  };
}

function refusalOf(request: AdmissionRequest, faults: readonly PolicyFault[]): ApiStatusError {
  const { status } = refuse(request, "admission request denied by policy");
  const [first] = faults;
  return new ApiStatusError({
    ...status,
    message: first!.message,
    reason: first!.reason ?? "Forbidden",
    details: { ...status.details, causes: faults.map(({ message }) => ({ message })) },
  });
}
