// Times in the form of meta/v1 Time.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/time.go.

/** Wall time in ms as meta/v1 Time, without fractions of a second: `2026-01-01T00:00:00Z`. */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
