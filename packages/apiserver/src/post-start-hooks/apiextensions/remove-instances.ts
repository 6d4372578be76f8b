// Deletes all custom resources of a definition, namespace by namespace as upstream does.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go
// (deleteInstances).
import { isObject, type Json } from "homeostat/api";
import type { LoopbackClient } from "../loopback-client.ts";
import type { Definition } from "../../kinds/apiextensions/definition.ts";

/** True once none is left; finalizers may keep some for a while. */
export async function removeInstances(
  { spec, status }: Definition,
  call: LoopbackClient,
): Promise<boolean> {
  const plural = status.acceptedNames?.plural || spec.names?.plural;
  const version = (spec.versions ?? []).find((each) => each.served) ?? spec.versions?.[0];
  const base = `/apis/${spec.group}/${version?.name}`;
  const namespaces = await namespacesOf(`${base}/${plural}`, call);
  for (const namespace of namespaces)
    await call("DELETE", `${base}${namespace ? `/namespaces/${namespace}` : ""}/${plural}`);
  return namespaces.size === 0 || (await namespacesOf(`${base}/${plural}`, call)).size === 0;
}

/** Namespaces that hold instances; "" for cluster scope. */
async function namespacesOf(path: string, call: LoopbackClient): Promise<ReadonlySet<string>> {
  const { status, object } = await call("GET", path);
  if (status >= 300)
    throw new Error(`list ${path} to remove custom resources: expected 200, got ${status}`);
  const items = Array.isArray(object["items"]) ? object["items"] : [];
  return new Set(
    items.map((item: Json) =>
      isObject(item) && isObject(item["metadata"])
        ? String(item["metadata"]["namespace"] ?? "")
        : "",
    ),
  );
}
