// The same tests on the real kube-apiserver, chosen as users choose their cluster.
import "../fixtures/real-test-clusters.ts";
import "./test-cluster-anywhere.test.ts";
