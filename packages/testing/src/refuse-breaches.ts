// Fails a test whose controllers depend on something that they do not declare.
import { HomeostatError, type Manager } from "homeostat";

/** Returns a function that throws ERR_TEST_BREACH once for what is new since its last call. */
export function refuseBreaches(manager: Manager | undefined): (during: string) => void {
  let told = 0;
  return (during) => {
    const fresh = manager?.breaches().slice(told) ?? [];
    if (fresh.length === 0) return;
    told += fresh.length;
    const lines = fresh.map(
      ({ code, object, message, hint }) => `  ${code} (${object}): ${message}; ${hint}`,
    );
    throw new HomeostatError(
      "ERR_TEST_BREACH",
      `${during}: controllers depend on what they do not declare:\n${lines.join("\n")}`,
      {
        hint: 'declare it as the message says, or start the cluster with `breaches: "report"`',
      },
    );
  };
}
