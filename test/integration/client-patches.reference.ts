// Patches by builders on the real kube-apiserver.
import "./client-patches.test.ts";
