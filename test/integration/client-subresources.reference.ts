// The same tests on the real kube-apiserver.
import "./client-subresources.test.ts";
