/** Asks the registry for known vulnerabilities of deployed packages. Fails for high and critical ones. */
import { spawnSync } from "node:child_process";

const options = ["--json", "--omit=dev", "--fetch-retries=0", "--fetch-timeout=10000"];
const { stdout } = spawnSync("npm", ["audit", ...options], { encoding: "utf8", timeout: 30_000 });

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

function parse(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}

const { vulnerabilities } = parse(stdout ?? "");
if (vulnerabilities === undefined) console.log("Left out: no registry answers, so packages are not audited.");
else {
  const severe = Object.entries(vulnerabilities).filter(([, { severity }]) => /^(high|critical)$/.test(severity));
  for (const [name, { severity, range }] of severe) console.log(`${name} ${range}: ${severity}`);
  console.log(`${severe.length} severe vulnerabilities in deployed packages`);
  if (severe.length > 0) process.exitCode = 1;
}
