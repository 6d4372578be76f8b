// The same on the real kube-apiserver.
import "./create-on-update.test.ts";
