// NamespaceExists and NamespaceAutoProvision: a write in a namespace that does not exist is
// refused, or creates the namespace.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/namespace/{exists,autoprovision}/admission.go.
import { ApiStatusError, type Status } from "homeostat/api";
import { notFoundError } from "../apimachinery/errors/api-errors.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, type PluginServices, refuse } from "./admission-plugin.ts";

const namespaces = { group: "", resource: "namespaces" } as const;

export const createNamespaceExists: CreatePlugin = (services) => ({
  validate(request) {
    if (request.operation !== "CONNECT" && lacksNamespace(request, services))
      throw notFoundError(namespaces, request.namespace);
  },
});

export const createNamespaceAutoProvision: CreatePlugin = (services) => ({
  async mutate(request) {
    const { operation, dryRun, namespace: name } = request;
    if (operation !== "CREATE" || dryRun || !lacksNamespace(request, services)) return;
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    const { status, object } = await services.loopback("POST", "/api/v1/namespaces", body);
    if (status < 300 || object["reason"] === "AlreadyExists") return;
    const error = new ApiStatusError(object as unknown as Status);
    throw object["reason"] === "Forbidden" ? error : refuse(request, error.message);
  },
});

const lacksNamespace = (
  { namespace, resource }: AdmissionRequest,
  { objects }: PluginServices,
): boolean =>
  namespace !== "" &&
  !(resource.group === "" && resource.resource === "namespaces") &&
  !objects.find(namespaces, namespace);
