// Plug-ins that run by default and do nothing: their feature gates (GenericWorkload,
// WorkloadWithJob, ClusterTrustBundle) are off by default, and no kind they are about is served.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/{scheduling/podgroupprotection,podgroup,job,
// certificates/ctbattest}/admission.go, pkg/features/kube_features.go.
import type { CreatePlugin } from "./admission-plugin.ts";

export const createGatedOff: CreatePlugin = () => ({});
