// The same on the real kube-apiserver, which the test starts with an audit log.
import "./production-operator.test.ts";
