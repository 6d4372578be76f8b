// The same on the real kube-apiserver.
import "./own-elsewhere-permissions.test.ts";
