// A control plane with short ways to create policies and to ask what they decide.
import type { JsonObject } from "homeostat/api";
import { createTestPlane, type TestPlane } from "./test-plane.ts";

export interface PolicyServer extends Pick<TestPlane, "ask" | "close"> {
  /** Creates a policy for new config maps, and a binding of its name. */
  policy(
    kind: "validating" | "mutating",
    name: string,
    spec: JsonObject,
    binding?: JsonObject,
  ): Promise<void>;
}

export const configMaps = "/api/v1/namespaces/default/configmaps";
const group = "/apis/admissionregistration.k8s.io/v1";
const user = { name: "bob", groups: ["system:masters", "system:authenticated"] };
const matchConstraints = {
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] },
  ],
};

export async function createPolicyServer(): Promise<PolicyServer> {
  const { ask, close } = await createTestPlane({ user });
  const create = async (path: string, body: JsonObject): Promise<void> => {
    const { status, body: shown } = await ask("POST", path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(shown)}`);
  };
  return {
    ask,
    async policy(kind, name, spec, binding = {}) {
      const metadata = { name };
      await create(`${group}/${kind}admissionpolicies`, {
        metadata,
        spec: { matchConstraints, ...spec },
      });
      await create(`${group}/${kind}admissionpolicybindings`, {
        metadata,
        spec: {
          policyName: name,
          ...(kind === "validating" ? { validationActions: ["Deny"] } : {}),
          ...binding,
        },
      });
    },
    close,
  };
}
