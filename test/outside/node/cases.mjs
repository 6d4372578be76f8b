// Cases of one session, printed as they end: "ok NAME: seen" or "not ok NAME: why"; what was seen
// is the same on every server.
const changing = /[0-9a-f]{8}-[0-9a-f-]{27}|outside-[a-z0-9]{5}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;
let failed = 0;

/** Runs one case. */
export async function check(name, run) {
  try {
    const seen = JSON.stringify(await run()) ?? "";
    console.log(`ok ${name}: ${seen.replace(changing, "…")}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${name}: ${String(error?.message ?? error).replaceAll("\n", " | ")}`);
    console.error(error);
  }
}

/** Asks until the answer is true. */
export async function within(ms, ask) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`still not so after ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What a refusal says. */
export async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    const status = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
    return `${error.code} ${status.reason} ${status.message}`;
  }
  throw new Error("accepted, and a refusal was expected");
}

export function end() {
  process.exit(failed > 0 ? 1 : 0);
}
