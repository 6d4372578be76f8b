// The selection of upstream's end-to-end tests, file by file, with a reason for every exclusion.
// Data only: choose-cases.ts reads it, and `npm run test:outside -- e2e` reports unknown names and
// files that are not listed.
import type { Choice } from "./choose-cases.ts";

const containers = "a container has to run: there are no kubelets";
const traffic = "packets have to flow: there is no network";
const volumes = "volumes have to be made and mounted: there is no storage";
const cloud = "a cloud provider has to be there";
const machines = "nodes or programs of the control plane are broken or asked on purpose";
const scheduler = "the real scheduler has to weigh nodes, or to drive pods away for others";
const nodes = "authorization of nodes is left out";
const devices = "a driver has to hand out devices";
const offByDefault = "a controller that kube-controller-manager does not run unless asked";

export const choices: readonly Choice[] = [
  // sig-api-machinery
  { from: "apimachinery/apiserver_identity.go", because: machines },
  { from: "apimachinery/coordinatedleaderelection.go", because: machines },
  { from: "apimachinery/etcd_failure.go", because: machines },
  {
    from: "apimachinery/flowcontrol.go",
    not: [["can't be drowned out", "upstream has switched it off"]],
  },
  { from: "apimachinery/mutatingadmissionpolicy.go" },
  { from: "apimachinery/validatingadmissionpolicy.go" },
  {
    from: "apimachinery/resource_quota.go",
    not: [["against a pvc with different", volumes]],
  },
  { from: "apimachinery/storage_version.go", because: machines },
  { from: "apimachinery/" },

  // sig-apps
  { from: "apps/daemon_restart.go", because: machines },
  { from: "apps/daemon_set.go" },
  { from: "apps/cronjob.go" },
  { from: "apps/disruption.go" },
  {
    from: "apps/deployment.go",
    not: [["cloud load-balancer", cloud]],
  },
  { from: "apps/job.go" },
  {
    from: "apps/rc.go",
    not: [["serve a basic image", containers]],
  },
  {
    from: "apps/replica_set.go",
    not: [["serve a basic image", containers]],
  },
  {
    from: "apps/statefulset.go",
    only: [
      "scale subresource",
      "Status endpoints",
      "list, patch and delete a collection",
      ".start.ordinal",
      "MinReadySeconds",
      "PersistentVolumeClaimPolicy",
    ],
    because: containers,
  },
  { from: "apps/" },

  // sig-architecture
  { from: "architecture/" },

  // sig-auth
  { from: "auth/certificates.go" },
  { from: "auth/selfsubjectreviews.go" },
  {
    from: "auth/service_accounts.go",
    only: [
      "TokenReview",
      "update a ServiceAccount",
      "auto-generated",
      "lifecycle",
      "kube-root-ca.crt",
      "opting out of API token automount",
    ],
    because: containers,
  },
  { from: "auth/subjectreviews.go" },
  { from: "auth/node_authz.go", because: nodes },
  { from: "auth/per_node_update.go", because: nodes },
  { from: "auth/", because: containers },

  // sig-cli
  {
    from: "kubectl/kubectl.go",
    not: [
      ["Simple pod", containers],
      ["Guestbook", containers],
      ["Kubectl copy", containers],
      ["Update Demo", containers],
      ["services for rc", containers],
      ["cluster-info dump", containers],
    ],
  },
  { from: "kubectl/kuberc.go" },
  { from: "kubectl/delete.go" },
  { from: "kubectl/rollout.go" },
  { from: "kubectl/", because: containers },

  // sig-cluster-lifecycle
  { from: "lifecycle/", because: offByDefault },

  // sig-instrumentation
  { from: "instrumentation/core_events.go" },
  { from: "instrumentation/events.go" },
  {
    from: "instrumentation/monitoring/metrics_grabber.go",
    only: ["all metrics from API server"],
    because: machines,
  },
  { from: "instrumentation/", because: containers },
  { from: "invariants/", because: machines },

  // sig-network
  { from: "network/endpoints.go" },
  {
    from: "network/endpointslice.go",
    not: [
      ["multiple ports specified", traffic],
      ["multiple endpoint IPs", traffic],
    ],
  },
  { from: "network/endpointslicemirroring.go", not: [["multiple subsets", traffic]] },
  { from: "network/ingress.go" },
  { from: "network/ingressclass.go" },
  { from: "network/netpol/network_policy_api.go" },
  { from: "network/service_cidrs.go", not: [["serve on different", traffic]] },
  { from: "network/topology_hints.go", because: traffic },
  {
    from: "network/dual_stack.go",
    because: "one family of addresses is served, as by a kube-apiserver with one range",
  },
  {
    from: "network/service.go",
    only: [
      "from listing all namespaces",
      "status lifecycle",
      "collection of services",
      "NodePort collisions",
      "out-of-range",
    ],
    because: traffic,
  },
  { from: "network/", because: traffic },
  { from: "common/network/", because: traffic },

  // sig-node
  {
    from: "common/node/configmap.go",
    only: ["ConfigMap lifecycle", "empty key", "update ConfigMap"],
    because: containers,
  },
  {
    from: "common/node/secrets.go",
    only: ["patch a secret", "empty secret key"],
    because: containers,
  },
  { from: "common/node/init_container.go", only: ["invoke init containers"], because: containers },
  { from: "common/node/lease.go" },
  { from: "common/node/node_lease.go", not: [["report node status infrequently", containers]] },
  { from: "common/node/podtemplates.go" },
  { from: "common/node/runtimeclass.go", not: [["handler", containers]] },
  {
    from: "common/node/pods.go",
    only: [
      "patch a pod status",
      "be updated",
      "activeDeadlineSeconds",
      "host IP",
      "delete a collection of pods",
      "lifecycle of Pods",
      "readiness gates",
    ],
    because: containers,
  },
  {
    from: "node/pods.go",
    only: [
      "QOS Class",
      "negative grace period",
      "should start at 1",
      "graceful delete",
      "500 podspec updates",
    ],
    because: containers,
  },
  { from: "node/node_lifecycle.go" },
  { from: "node/runtimeclass.go", only: ["conflicting node selector"], because: containers },
  { from: "node/taints.go" },
  {
    from: "node/pod_gc.go",
    because: "it counts on a cluster that keeps 100 pods that have ended, and not 12500",
  },
  { from: "node/", because: containers },
  { from: "common/node/", because: containers },
  {
    from: "dra/",
    only: ["CRUD Tests"],
    because: devices,
  },

  // sig-scheduling
  { from: "scheduling/limit_range.go" },
  { from: "scheduling/preemption.go", only: ["PriorityClass endpoints"], because: scheduler },
  { from: "scheduling/predicates.go" },
  { from: "scheduling/", because: scheduler },

  // sig-storage
  { from: "common/storage/configmap_volume.go", only: ["immutable if"], because: containers },
  { from: "common/storage/secrets_volume.go", only: ["immutable if"], because: containers },
  { from: "common/storage/", because: containers },
  { from: "storage/csi_inline.go" },
  { from: "storage/csi_node.go" },
  { from: "storage/csistoragecapacity.go" },
  { from: "storage/persistent_volumes.go", only: ["CSI Conformance"], because: volumes },
  { from: "storage/pv_protection.go" },
  { from: "storage/pvc_protection.go" },
  { from: "storage/storageclass.go" },
  { from: "storage/volume_attachment.go" },
  { from: "storage/volumeattributesclass.go" },
  { from: "storage/", because: volumes },

  // The rest
  { from: "autoscaling/", because: cloud },
  { from: "cloud/", because: cloud },
  { from: "windows/", because: containers },
];
