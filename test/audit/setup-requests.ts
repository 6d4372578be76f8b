// What the audited server has: namespaces, roles, a definition and a policy.
import {
  type AuditRequest,
  namespace,
  post,
  rbac,
  registration,
  shop,
} from "./request-builders.ts";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { size: { type: "integer", default: 3 }, text: { type: "string" } },
    },
  },
};

/** The first requests. */
export const setUp: readonly AuditRequest[] = [
  namespace("shop"),
  namespace("quiet"),
  namespace("meta"),
  namespace("request"),
  namespace("checked", { policed: "yes" }),
  namespace("secure", {
    "pod-security.kubernetes.io/enforce": "baseline",
    "pod-security.kubernetes.io/audit": "restricted",
    "pod-security.kubernetes.io/warn": "privileged",
  }),
  post("account", `${shop}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot" },
  }),
  post("role", `${rbac}/clusterroles`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "reader" },
    rules: [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
      {
        apiGroups: ["authentication.k8s.io"],
        resources: ["users", "groups"],
        verbs: ["impersonate:user-info"],
      },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["impersonate-on:user-info:get"] },
    ],
  }),
  post("binding", `${rbac}/clusterrolebindings`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "readers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "shop" }],
  }),
  post("definition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
        {
          name: "v1beta1",
          served: true,
          storage: false,
          deprecated: true,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  }),
  post("policy", `${registration}/validatingadmissionpolicies`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "good.example.com" },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { policed: "yes" } },
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] },
        ],
      },
      validations: [
        { expression: "has(object.data.good)", message: "needs <good>" },
        { expression: "!has(object.data.bad)", reason: "Forbidden" },
      ],
      auditAnnotations: [
        { key: "size", valueExpression: "string(size(object.data))" },
        { key: "none", valueExpression: "null" },
        { key: "text", valueExpression: "has(object.data.text) ? object.data.text : ' '" },
      ],
    },
  }),
  {
    ...post("policy-binding", `${registration}/validatingadmissionpolicybindings`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "good" },
      spec: { policyName: "good.example.com", validationActions: ["Warn", "Audit"] },
    }),
    pauseMs: 3000,
  },
];
