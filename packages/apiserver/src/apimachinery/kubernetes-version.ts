// The Kubernetes release whose behaviour this server has, and its answer to /version.
// Upstream: k8s.io/apimachinery/pkg/version/types.go.

/** e.g. `v1.36.3` */
export const kubernetesVersion = "v1.36.3";

/** The version of Go that upstream's release is built with. */
export const goVersion = "go1.26.8";

/** The body of /version: always indented, without a final newline. */
export const versionDocument: string = JSON.stringify(
  {
    major: "1",
    minor: "36",
    emulationMajor: "1",
    emulationMinor: "36",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitVersion: kubernetesVersion,
    // As in upstream's sources, for builds that are not told a commit.
    gitCommit: "$Format:%H$",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion,
    compiler: "gc",
    platform: "linux/amd64",
  },
  null,
  2,
);
