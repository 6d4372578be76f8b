// DenyServiceExternalIPs: refuses services that add external IPs. Off by default.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips/admission.go.
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";

export const createDenyServiceExternalIps: CreatePlugin = () => ({
  validate(request) {
    const service: Decoded<Service> | undefined = request.object;
    const old: Decoded<Service> | undefined = request.old;
    if (!service || !isAbout(request, "", "services")) return;
    const before = old?.spec?.externalIPs ?? [];
    if (service.spec?.externalIPs?.some((ip) => !before.includes(ip)))
      throw refuse(request, "Use of external IPs is denied by admission control");
  },
});
