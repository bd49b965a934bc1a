import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBrowser } from "#test/support/browser.ts";
import { Client } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { startScriptedService } from "#test/support/scripted-service.ts";
import { startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";
import { captureComponents, captureViews, type Variant, widths } from "./capture.ts";
import { seed, type Views } from "./seed.ts";

/**
 * Takes screenshots of every view of the console with 40 of everything, in both color schemes, at three widths, in English,
 * German and Arabic, and of empty and failing views, and of the design tokens and every control, for review by people. Files are
 * in `test-results/screens`.
 *
 * `npm run screens -- <variant> <count> <view>…` takes those of one variant (or `all`), with another count, of some views. With
 * SCREENS_STATE, the data are kept in that directory for further runs.
 */
const directory = join(import.meta.dirname, "../../test-results/screens");
mkdirSync(directory, { recursive: true });

const [only = "all", count = "40", ...viewNames] = process.argv.slice(2);

const variants: readonly Variant[] = [
  { name: "light", widths },
  { name: "dark", widths, colorScheme: "dark" },
  { name: "german", widths: [1440, 360], locale: "de-DE" },
  { name: "arabic", widths, locale: "ar" },
  { name: "empty", widths: [1440, 360], isEmpty: true },
  { name: "failing", widths: [1440], isFailing: true },
];

const answer = `## Opening hours

The **reading room** opens at nine, see [the calendar](https://example.com/calendar)[^1].

| day | from | to |
|---|---|---|
${["Monday", "Tuesday", "Wednesday"].map((day) => `| ${day} | 9:00 | 18:00 |`).join("\n")}

1. Register at the desk.
2. Take a card:
   - [x] photo
   - [ ] deposit

The fee is \\(f = \\frac{d}{2}\\).

\`\`\`ts
${Array.from({ length: 8 }, (_, line) => `const day${line} = open(${line}); // ${"note ".repeat(20)}`).join("\n")}
\`\`\`

[^1]: As of this year.`;

const stateDir = process.env.SCREENS_STATE;
const service = await startScriptedService({
  script: streamText([answer]),
  env: { GUARDRAIL_PROVIDER: "none" },
  ...(stateDir && { stateDir }),
});
const identity = (await (await fetch(`${service.baseUrl}/console/config.json`)).json()) as {
  tenant: string;
  user: string;
  roles: string;
};
const mcp = await startMcpServer();
// 64 at most.
mcp.tools = Array.from({ length: Math.min(Number(count), 64) }, (_, index) => toolDefinition(`tool_${index}`));

/** Fills the tenant, unless an earlier run has done so, and returns the paths of its views. */
async function findViews(): Promise<Views> {
  const file = stateDir && join(stateDir, "views.json");
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const views = await seed(new Client(identity, service.baseUrl), Number(count), mcp.url);
  if (file) writeFileSync(file, JSON.stringify(views));
  return views;
}

const [allViews, browser] = await Promise.all([findViews(), startBrowser()]);
const views = Object.fromEntries(
  Object.entries(allViews).filter(([name]) => viewNames.length === 0 || viewNames.includes(name)),
);
if (viewNames.length === 0 && ["all", "components"].includes(only)) await captureComponents(browser, directory);
for (const variant of variants.filter(({ name }) => ["all", name].includes(only))) {
  const startedAt = performance.now();
  await captureViews(browser, { baseUrl: service.baseUrl, directory, views }, variant);
  console.log(`${variant.name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}
console.log(`screenshots in ${directory}`);
await browser.close();
await Promise.all([service.stop(), mcp.stop()]);
