// The same on the real kube-apiserver.
import "./definition-permissions.test.ts";
