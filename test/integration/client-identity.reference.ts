// Impersonation on the real kube-apiserver.
import "./client-identity.test.ts";
