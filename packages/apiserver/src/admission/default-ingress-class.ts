// DefaultIngressClass: an ingress that names no class, by field or by the older annotation, gets
// the default one.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass/admission.go.
import { isSet, textMapAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import { defaultClassName } from "./default-class.ts";
import { specOf } from "./spec-of.ts";

const group = "networking.k8s.io";

export const createDefaultIngressClass: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    const { object } = request;
    if (!object || request.operation !== "CREATE" || !isAbout(request, group, "ingresses")) return;
    const spec = specOf(object);
    if (
      isSet(spec["ingressClassName"]) ||
      Object.hasOwn(textMapAt(metadataOf(object), "annotations"), "kubernetes.io/ingress.class")
    )
      return;
    const name = defaultClassName(objects.list({ group, resource: "ingressclasses" }), [
      "ingressclass.kubernetes.io/is-default-class",
    ]);
    if (name) spec["ingressClassName"] = name;
  },
});
