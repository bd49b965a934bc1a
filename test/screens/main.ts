import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { startBrowser } from "#test/support/browser.ts";
import { alertSamples } from "#test/support/channels/alert-payloads.ts";
import { createChannel } from "#test/support/channels/channel.ts";
import { Client } from "#test/support/client.ts";
import { consoleViews } from "#test/support/console-views.ts";
import { createSite } from "#test/support/embed/site.ts";
import { raiseIncident } from "#test/support/investigations/raise-incident.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { startScriptedService } from "#test/support/scripted-service.ts";
import { startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";
import { bundleComponentsPage } from "./components-page.ts";

/**
 * Takes a screenshot of every view of the console with 40 of everything, in both color schemes, at three widths, in English,
 * German and Arabic, and of empty and failing views, and of the
 * design tokens and every control, for review by people. Files are in `test-results/screens`.
 */
const directory = join(import.meta.dirname, "../../test-results/screens");

/** Number of entries of each kind: `npm run screens -- <variant> 300` for another one. */
const COUNT = Number(process.argv[3] ?? 40);

/** Ends of names that are longer than their place, or that are written in another direction or without letters. */
const oddEnds = [
  "with a name that is much longer than its place and does not end there",
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung",
  "أوقات الدوام في أيام العطل الرسمية والمكتبة",
  "👩‍🚀🚀🧪 <b>&amp;</b>",
];

const widths = [1440, 1024, 360] as const;

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

const arabic = "متى تفتح المكتبة؟ أريد أن أعرف أوقات الدوام في أيام العطل.";

const service = await startScriptedService({ env: { GUARDRAIL_PROVIDER: "none" } });
const { tenant, user, roles } = (await (await fetch(`${service.baseUrl}/console/config.json`)).json()) as {
  tenant: string;
  user: string;
  roles: string;
};
const client = new Client({ tenant, user, roles }, service.baseUrl);

const mcp = await startMcpServer();
mcp.tools = Array.from({ length: COUNT }, (_, index) => toolDefinition(`tool_${index}`));

/** Fills the tenant, and returns the paths of its views. */
async function seed(): Promise<Record<string, string>> {
  const name = (kind: string, index: number, maxLength = 100) =>
    (index % 5 === 0 ? `${kind} ${index} ${oddEnds[(index / 5) % oddEnds.length]}` : `${kind} ${index}`).slice(
      0,
      maxLength,
    );
  const idOf = async (path: string, body: object) => (await client.post(path, body)).body.id as string;
  let [collection, persona, documentId, workspace, endpoint] = ["", "", "", "", ""];
  for (let index = 0; index < COUNT; index++) {
    await client.createConversation(name("Conversation", index));
    persona = await idOf("/v1/personas", { name: name("Persona", index), description: "Answers about the library." });
    collection = await idOf("/v1/knowledge/collections", { name: name("Collection", index) });
    await client.post("/v1/templates", { name: name("Template", index), body: "Summarize {{text}}" });
    await client.post("/v1/folders", { name: name("Folder", index) });
    await client.post("/v1/memories", { text: name("Memory", index), category: "fact" });
    await client.post("/v1/budgets", { name: name("Budget", index), unit: "usd", limit: index + 1, window: "month" });
    await client.post("/v1/models", {
      name: `model-${index}`,
      model_id: "vendor/model",
      price: { input: 1, output: 2 },
    });
    const slack = await idOf("/v1/slack/workspaces", { name: name("Workspace", index, 35) });
    workspace ||= slack;
    // 20 at most.
    await client.post("/v1/teams/workspaces", { name: name("Team", index, 30) });
    await client.post("/v1/tools/servers", { name: name("Server", index), url: mcp.url });
    await client.post("/v1/tenant/invitations", { note: name("Guest", index) });
    await client.request(
      "POST",
      "/v1/tenant/api-keys",
      { description: name("Key", index), scopes: ["chat.completions"] },
      { "idempotency-key": `key-${index}` },
    );
    const added = await idOf("/v1/event-endpoints", {
      ...{ url: `https://example.com/${index}`, types: ["run.completed", "run.failed"] },
      description: name("Endpoint", index),
    });
    endpoint ||= added;
    await client.post("/v1/approvals", {
      type: "tool_execution",
      action: { operation: "launch", params: { ship: name("Ship", index) } },
    });
    await client.post("/v1/notes", { title: name("Note", index), body: "Bring the keys.", tags: ["library"] });
  }
  for (let index = 0; index < COUNT; index++) {
    const document = { title: name("Document", index), text: `Text ${index}.`, media_type: "text/plain" };
    documentId = await idOf(`/v1/knowledge/collections/${collection}/documents`, document);
  }
  service.upstream.script = streamText([answer]);
  const site = await createSite(client, { name: name("Website", 0, 80), persona: { name: "Shop", tier: "QUICK" } });
  for (let index = 0; index < COUNT; index++) {
    const page = `${site.origin}/help/${index % 5 === 0 ? "a-very-long-part-of-the-address/".repeat(6) : index}`;
    const session = (await site.startSession({ page, ...(index % 2 && { visitor: { id: `v-${index}` } }) })).body.id;
    const accept = { accept: "application/json" };
    const reply = await site.sendMessage(
      session,
      index % 10 === 5 ? arabic : `${name("May I ask question", index)}?`,
      accept,
    );
    const { message_id } = (await reply.json()) as { message_id: string };
    const path = `/v1/embed/sessions/${session}/messages/${message_id}/feedback`;
    await site.request("POST", path, { rating: index % 3 === 0 ? "up" : "down" });
  }
  const monitoring = await createChannel({}, client);
  const incident = await raiseIncident(client, monitoring.id, monitoring.registration.secret ?? "", persona);
  const conversation = await client.createConversation("The library");
  for (const content of ["When does it open?", arabic]) await client.chat({ conversation_id: conversation, content });
  const {
    conversation_id: alerts,
    id: alertChannel,
    registration,
    post,
  } = await createChannel({ signature_scheme: "token" }, client);
  for (const { payload, headers } of alertSamples.slice(0, COUNT)) {
    const authorization = `Bearer ${registration.secret}`;
    await post(JSON.stringify(payload), { "content-type": "application/json", authorization, ...headers });
  }
  return {
    ...consoleViews({
      ...{ conversation, collection, document: documentId, persona, incident },
      ...{ widget: site.key.id, workspace, endpoint, channel: alertChannel },
    }),
    alerts: `/console/chat/${alerts}`,
  };
}

interface Variant {
  readonly name: string;
  readonly widths: readonly number[];
  readonly locale?: string;
  /** User whose lists are empty. */
  readonly isEmpty?: boolean;
  /** True to let every request of the views fail. */
  readonly isFailing?: boolean;
  readonly colorScheme?: "light" | "dark";
}

const variants: readonly Variant[] = [
  { name: "light", widths },
  { name: "dark", widths, colorScheme: "dark" },
  { name: "german", widths: [1440, 360], locale: "de-DE" },
  { name: "arabic", widths, locale: "ar" },
  { name: "empty", widths: [1440, 360], isEmpty: true },
  { name: "failing", widths: [1440], isFailing: true },
];

async function capture(browser: Browser, views: Record<string, string>, variant: Variant): Promise<void> {
  const { colorScheme = "light", locale = "en-US" } = variant;
  const context = await browser.newContext({ colorScheme, locale, reducedMotion: "reduce" });
  if (variant.isEmpty) {
    const identity = JSON.stringify({ user: "newcomer", roles: "viewer" });
    await context.addInitScript(`localStorage.setItem("switchboard.local-identity", ${JSON.stringify(identity)})`);
  }
  const page = await context.newPage();
  if (variant.isFailing) {
    await page.route(/\/v1\/(?!receptor)/, (route) => route.fulfill({ status: 503, json: {} }));
  }
  for (const [name, path] of Object.entries(views)) {
    await page.setViewportSize({ width: variant.widths[0] ?? 1440, height: 900 });
    await page.goto(service.baseUrl + path);
    await page.locator("main").first().waitFor();
    // A view that polls or tries again is never idle for long.
    await page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => undefined);
    for (const width of variant.widths) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      await page.screenshot({ path: join(directory, `${name}-${variant.name}-${width}.png`) });
    }
  }
  await context.close();
}

/** Takes screenshots of the whole page with the design tokens and every control, and of a dialog on it. */
async function captureComponents(browser: Browser): Promise<void> {
  const html = await bundleComponentsPage();
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    for (const width of widths) {
      for (const name of ["components", "dialog"]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`about:blank#${name}`);
        await page.setContent(html);
        const path = join(directory, `${name}-${colorScheme}-${width}.png`);
        const height = await page.locator("main").evaluate(({ scrollHeight }) => scrollHeight);
        if (name === "components") await page.setViewportSize({ width, height });
        await page.screenshot({ path });
      }
    }
    await page.close();
  }
}

mkdirSync(directory, { recursive: true });
const [views, browser] = await Promise.all([seed(), startBrowser()]);
const only = process.argv[2];
if (!only || only === "components") await captureComponents(browser);
for (const variant of variants) if (!only || variant.name === only) await capture(browser, views, variant);
console.log(`screenshots in ${directory}`);
await browser.close();
await Promise.all([service.stop(), mcp.stop()]);
