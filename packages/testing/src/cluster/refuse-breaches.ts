// Fails a test whose controllers make mistakes that would otherwise show in their log alone: they
// depend on something that they do not declare, or drop a result.
import { type Breach, HomeostatError } from "homeostat";

/** Returns a function that throws ERR_TEST_BREACH once for what is new since its last call. */
export function refuseBreaches(breaches: () => readonly Breach[]): (during: string) => void {
  let told = 0;
  return (during) => {
    const fresh = breaches().slice(told);
    if (fresh.length === 0) return;
    told += fresh.length;
    const lines = fresh.map(
      ({ code, object, message, hint }) => `  ${code} (${object}): ${message}; ${hint}`,
    );
    throw new HomeostatError(
      "ERR_TEST_BREACH",
      `${during}: controllers make mistakes that fail no reconcile:\n${lines.join("\n")}`,
      {
        hint: 'do what the message says, or start the cluster with `breaches: "report"`',
      },
    );
  };
}
