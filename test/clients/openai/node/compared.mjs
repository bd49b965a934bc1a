/** Runs scenarios against Anthropic's API, which a stub stands for, and through this service, and compares the outcomes. */

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const {
  OPENAI_BASE_URL: baseURL = "",
  OPENAI_API_KEY: apiKey,
  SCENARIO_ANTHROPIC_URL: anthropicURL,
  SCENARIO_ANTHROPIC_KEY: anthropicKey,
  SCENARIO_MODEL: model,
} = process.env;

const targets = [
  { baseURL: anthropicURL, apiKey: anthropicKey, model },
  { baseURL: baseURL.replace(/\/v1$/, ""), apiKey, model },
];

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Returns the prompt that makes the scripted providers play a scenario. */
export const ask = (name) => `scenario:${name}`;

const scenarios = [];

/** Adds a scenario: a function of a target, which returns its outcome. */
export const compared = (scenario, call) => void scenarios.push({ scenario, call });

async function compare(call) {
  const [direct, through] = [await call(targets[0]), await call(targets[1])];
  if (direct === undefined || direct === "") return { passed: false, detail: "no outcome" };
  if (isDeepStrictEqual(direct, through)) return { passed: true };
  return {
    passed: false,
    detail: `direct: ${JSON.stringify(direct)}, through: ${JSON.stringify(through)}`.slice(0, 1_000),
  };
}

/** Runs the scenarios and prints a JSON line for each. */
export async function run(client, packageName) {
  const { version } = JSON.parse(readFileSync(`node_modules/${packageName}/package.json`, "utf8"));
  for (const { scenario, call } of scenarios) {
    const startedAt = performance.now();
    const result = await compare(call).catch((error) => ({ passed: false, detail: String(error).slice(0, 500) }));
    const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
    console.log(JSON.stringify({ client, version, scenario, seconds, ...result }));
  }
  process.exit(0);
}
