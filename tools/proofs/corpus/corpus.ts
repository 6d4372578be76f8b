// Proof: a sweep finds the planted bugs of test/simulation/corpus, and raises no alarm about their
// sound twins. `npm run proofs -- corpus [planted|sound] [NAME…]` runs a part of it.
import process from "node:process";
import { corpus, missed } from "../../../test/simulation/corpus/corpus.ts";
import { type Finding, find } from "../../../test/simulation/corpus/find.ts";

const args = process.argv.slice(2);
const [which] = args.filter((arg) => arg === "planted" || arg === "sound");
const names = args.filter((arg) => arg !== which);
const chosen = corpus.filter(({ name }) => names.length === 0 || names.includes(name));
const begin = performance.now();
let [found, alarms, states] = [0, 0, 0];
const wrong: string[] = [];

for (const bug of chosen) {
  if (which !== "sound") {
    const finding = await find(bug, "planted");
    print("planted", bug.name, finding);
    if (finding.isFound) found++;
    const why = missed.get(bug.name);
    if (finding.isFound === (why !== undefined))
      wrong.push(`${bug.name} is ${finding.isFound ? "found, and listed as missed" : "missed"}`);
    else if (finding.isFound && !bug.oracles.includes(finding.oracle!))
      wrong.push(`${bug.name} is found by ${finding.oracle}, not by ${bug.oracles.join(", ")}`);
  }
  if (which !== "planted") {
    const finding = await find(bug, "sound");
    print("sound", bug.name, finding);
    states += finding.runs;
    if (finding.isFound) alarms++;
    if (finding.isFound) wrong.push(`a false alarm about ${bug.name}:\n${finding.message}`);
  }
}

const seconds = Math.round((performance.now() - begin) / 1000);
for (const line of wrong) console.log(`wrong: ${line}`);
console.log(
  `corpus: ${found} of ${chosen.length} bugs found, ${alarms} false alarms in ${states} runs, ${seconds} s`,
);
process.exitCode =
  wrong.length === 0 && (which === "sound" || found >= chosen.length * 0.95) ? 0 : 1;

function print(kind: string, name: string, finding: Finding): void {
  const { runs, seconds: took } = finding;
  const what = finding.isFound ? `${finding.oracle}: ${finding.plan}` : "nothing found";
  console.log(`${kind.padEnd(7)} ${name} | ${what} | ${runs} runs, ${took.toFixed(1)} s`);
}
