// What decides about the writes of the proof: a role for the writers' service account, a mutating
// policy and a mutating webhook that mark every write, and a validating policy. They must decide
// from the first request after each start.
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  createAuthority,
  issueServingCertificate,
} from "../../../packages/homeostat/src/certificates/index.ts";
import type { Transport } from "../../../packages/homeostat/src/api/transport.ts";
import { createSystemRuntime } from "../../../packages/homeostat/src/runtime/index.ts";
import { call } from "./wire.ts";

/** A webhook that labels objects, in this process. */
export interface MarkingHook {
  readonly url: string;
  readonly caBundle: string;
  close(): void;
}

const patch = JSON.stringify([{ op: "add", path: "/metadata/labels/hooked", value: "yes" }]);

export async function startHook(): Promise<MarkingHook> {
  const runtime = createSystemRuntime();
  const authority = createAuthority({ runtime });
  const tls = issueServingCertificate(authority, {
    runtime,
    names: ["localhost"],
    addresses: ["127.0.0.1"],
  });
  const server = createServer({ ...tls, keepAliveTimeout: 1_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly request: { readonly uid: string };
      };
      const { uid } = review.request;
      response.setHeader("content-type", "application/json").end(
        JSON.stringify({
          apiVersion: "admission.k8s.io/v1",
          kind: "AdmissionReview",
          response: {
            uid,
            allowed: true,
            patchType: "JSONPatch",
            patch: Buffer.from(patch).toString("base64"),
          },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/mark`,
    caBundle: Buffer.from(authority.cert).toString("base64"),
    close: () => server.close(),
  };
}

const registration = "admissionregistration.k8s.io/v1";
const groups = ["", "proof.example.com"];
const resources = ["configmaps", "secrets", "services", "widgets"];
/** Objects of writers only. */
const matchConditions = [{ name: "of-writers", expression: "request.name.startsWith('w')" }];
const writes = [
  { apiGroups: groups, apiVersions: ["*"], resources, operations: ["CREATE", "UPDATE"] },
];
const rbac = "rbac.authorization.k8s.io";

const guardsOf = ({ url, caBundle }: MarkingHook): readonly (readonly [string, object])[] => [
  [
    "/api/v1/namespaces/default/serviceaccounts",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "writer" } },
  ],
  [
    `/apis/${rbac}/v1/namespaces/default/roles`,
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name: "writer" },
      rules: [{ apiGroups: groups, resources, verbs: ["create", "update", "patch", "delete"] }],
    },
  ],
  [
    `/apis/${rbac}/v1/namespaces/default/rolebindings`,
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "writer" },
      roleRef: { apiGroup: rbac, kind: "Role", name: "writer" },
      subjects: [{ kind: "ServiceAccount", name: "writer", namespace: "default" }],
    },
  ],
  [
    `/apis/${registration}/mutatingadmissionpolicies`,
    {
      apiVersion: registration,
      kind: "MutatingAdmissionPolicy",
      metadata: { name: "guard" },
      spec: {
        matchConstraints: { resourceRules: writes },
        matchConditions,
        reinvocationPolicy: "Never",
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: {
              expression: "Object{metadata: Object.metadata{labels: {'guarded': 'yes'}}}",
            },
          },
        ],
      },
    },
  ],
  [
    `/apis/${registration}/mutatingadmissionpolicybindings`,
    {
      apiVersion: registration,
      kind: "MutatingAdmissionPolicyBinding",
      metadata: { name: "guard" },
      spec: { policyName: "guard" },
    },
  ],
  [
    `/apis/${registration}/validatingadmissionpolicies`,
    {
      apiVersion: registration,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "guard" },
      spec: {
        matchConstraints: { resourceRules: writes },
        validations: [{ expression: "object.metadata.name != 'forbidden'" }],
      },
    },
  ],
  [
    `/apis/${registration}/validatingadmissionpolicybindings`,
    {
      apiVersion: registration,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "guard" },
      spec: { policyName: "guard", validationActions: ["Deny"] },
    },
  ],
  [
    `/apis/${registration}/mutatingwebhookconfigurations`,
    {
      apiVersion: registration,
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "guard" },
      webhooks: [
        {
          name: "mark.proof.example.com",
          clientConfig: { url, caBundle },
          rules: writes,
          matchConditions,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
        },
      ],
    },
  ],
];

/** Creates the guards; returns the token of the writers' service account. */
export async function placeGuards(transport: Transport, hook: MarkingHook): Promise<string> {
  for (const [path, body] of guardsOf(hook)) {
    const answer = await call(transport, "POST", path, { body });
    assert.equal(answer?.status, 201, `POST ${path}: ${JSON.stringify(answer?.body)}`);
  }
  const answer = await call(
    transport,
    "POST",
    "/api/v1/namespaces/default/serviceaccounts/writer/token",
    {
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 86_400 },
      },
    },
  );
  assert.equal(answer?.status, 201, JSON.stringify(answer?.body));
  const { status } = answer!.body as { readonly status: { readonly token: string } };
  return status.token;
}

/** The first requests of a start are decided as all others are. */
export async function judgeGuards(writer: Transport): Promise<void> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "forbidden" } };
  const maps = "/api/v1/namespaces/default/configmaps";
  const denied = await call(writer, "POST", maps, { body, needsAnswer: true });
  assert.equal(denied?.status, 422, `past the policy: ${JSON.stringify(denied?.body)}`);
  const forbidden = await call(writer, "GET", maps, { needsAnswer: true });
  assert.equal(forbidden?.status, 403, `past the role: ${JSON.stringify(forbidden?.body)}`);
}
