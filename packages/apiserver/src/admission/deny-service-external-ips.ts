// DenyServiceExternalIPs: no service takes up further external addresses. Off unless asked for.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips/admission.go.
import { textsAt, objectAt } from "../apimachinery/meta/read-fields.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";

export const createDenyServiceExternalIps: CreatePlugin = () => ({
  validate(request) {
    const { object, old } = request;
    if (!object || !isAbout(request, "", "services")) return;
    const before = old ? textsAt(objectAt(old, "spec"), "externalIPs") : [];
    if (textsAt(objectAt(object, "spec"), "externalIPs").some((ip) => !before.includes(ip)))
      throw refuse(request, "Use of external IPs is denied by admission control");
  },
});
