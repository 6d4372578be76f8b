// The same on the real kube-apiserver.
import "./required-permissions.test.ts";
