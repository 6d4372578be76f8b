// The same on the real kube-apiserver.
import "./webhook-permissions.test.ts";
