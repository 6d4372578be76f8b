// A control plane with short ways to create policies and to ask what they decide.
import { encodeJsonBytes, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { isStream, wholeBody } from "../../apimachinery/handler.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";
import { createControlPlane } from "../control-plane.ts";

export interface PolicyAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

export interface PolicyServer {
  ask(method: string, path: string, body?: JsonObject, type?: string): Promise<PolicyAnswer>;
  /** Creates a policy for new config maps, and a binding of its name. */
  policy(
    kind: "validating" | "mutating",
    name: string,
    spec: JsonObject,
    binding?: JsonObject,
  ): Promise<void>;
  close(): Promise<void>;
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
  const store = createMemoryStore();
  const plane = await createControlPlane({
    store,
    runtime: createVirtualRuntime(),
    tokens: new Map(),
  });
  const ask: PolicyServer["ask"] = async (method, path, body, type = "application/json") => {
    const answer = await plane.handler({
      method,
      path,
      headers: { "content-type": type },
      body: body ? encodeJsonBytes(body) : new Uint8Array(),
      user,
    });
    if (isStream(answer.body)) throw new Error(`${method} ${path}: expected a whole answer`);
    const warnings = answer.headers["warning"] ?? [];
    return {
      status: answer.status,
      body: JSON.parse(new TextDecoder().decode(wholeBody(answer.body))) as JsonObject,
      warnings: typeof warnings === "string" ? [warnings] : warnings,
    };
  };
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
    async close() {
      await plane.close();
      await store.close();
    },
  };
}
