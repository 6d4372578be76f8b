// DefaultIngressClass: an ingress that names no class, by field or by the older annotation, gets
// the default one.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass/admission.go.
import type { Decoded } from "homeostat/api";
import type { Ingress } from "homeostat/k8s/networking/v1";
import { isSet } from "../apimachinery/meta/read-fields.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import { defaultClassName } from "./default-class.ts";

const group = "networking.k8s.io";

export const createDefaultIngressClass: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    const ingress: Decoded<Ingress> | undefined = request.object;
    if (!ingress || request.operation !== "CREATE" || !isAbout(request, group, "ingresses")) return;
    const spec = (ingress.spec ??= {});
    const annotation = ingress.metadata?.annotations?.["kubernetes.io/ingress.class"];
    if (isSet(spec.ingressClassName) || annotation !== undefined) return;
    const name = defaultClassName(objects.list({ group, resource: "ingressclasses" }), [
      "ingressclass.kubernetes.io/is-default-class",
    ]);
    if (name) spec.ingressClassName = name;
  },
});
