// Writes the findings of the type check into the status of every validating admission policy.
// Upstream: k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus/controller.go.
import { type Decoded, type GroupVersionKind, parseApiVersion } from "homeostat/api";
import {
  ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
} from "homeostat/k8s/admissionregistration/v1";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import type { CheckedKinds } from "../../kinds/admissionregistration/type-check-policy.ts";
import { kindsToCheck } from "./policy-kinds.ts";
import { declarationOf } from "./published-schemas.ts";

const fieldManager = "validatingadmissionpolicy-status";

/** Starts `validatingadmissionpolicy-status-controller`. */
export const start: Start = async (context) => {
  const controller = new KeyedController(context, "the controller of policies' status");
  const policies = controller.acquire(ValidatingAdmissionPolicy);
  controller.followKeys(policies);
  return controller.start(async (name) => {
    const policy = policies.get({ name });
    const { generation = 0 } = policy?.metadata ?? {};
    if (!policy || generation <= (policy.status?.observedGeneration ?? 0)) return undefined;
    const spec = policy.spec as Decoded<ValidatingAdmissionPolicySpec>;
    // Brings the engine of expressions, which a server without policies does not need.
    const { typeCheckPolicy } =
      await import("../../kinds/admissionregistration/type-check-policy.ts");
    const warnings = typeCheckPolicy(spec, await checkedKinds(context, spec));
    const typeChecking = warnings.length ? { expressionWarnings: [...warnings] } : {};
    await context.client
      .apply(
        ValidatingAdmissionPolicy,
        { metadata: { name }, status: { observedGeneration: generation, typeChecking } },
        { fieldManager, force: true, subresource: "status" },
      )
      .catch(ignoreNotFound);
    return undefined;
  });
};

async function checkedKinds(
  { client }: ControllerContext,
  spec: Decoded<ValidatingAdmissionPolicySpec>,
): Promise<CheckedKinds> {
  const kinds = kindsToCheck(spec, await client.kinds.all());
  const objects = [];
  for (const kind of kinds) {
    const found = await declared({ client }, kind);
    if (found) objects.push({ kind, declared: found.declared });
  }
  const { group = "", version = "" } = parseApiVersion(spec.paramKind?.apiVersion ?? "") ?? {};
  const params = spec.paramKind
    ? await declared({ client }, { group, version, kind: spec.paramKind.kind ?? "" })
    : undefined;
  return { objects, params: params?.declared };
}

/** A kind that is not served has no schema. */
const declared = (
  { client }: Pick<ControllerContext, "client">,
  kind: GroupVersionKind,
): ReturnType<typeof declarationOf> =>
  declarationOf(client, kind).catch((error: unknown) => {
    ignoreNotFound(error);
    return undefined;
  });
