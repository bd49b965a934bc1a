import { afterAll, beforeAll, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService({ env: { RATE_LIMIT_EMBED_SESSION: "1000", RATE_LIMIT_TENANT: "1000" } });
});
afterAll(() => service.stop());

it("prompts of a website's visitor stay small after a long conversation with long questions", async () => {
  const owner = new Client(undefined, service.baseUrl);
  const site = await createSite(owner, { daily_tokens: 1_000_000_000 });
  const session = await site.createSession();
  const charactersOf = (from: number) =>
    service.upstream.requests.slice(from).map(({ body }) => JSON.stringify(body.messages).length);
  const ask = async (content: string) => {
    const from = service.upstream.requests.length;
    await (await site.sendMessage(session, content, { accept: "application/json" })).text();
    return charactersOf(from).reduce((sum, each) => sum + each, 0);
  };
  const longText = (turn: number) => Array.from({ length: 4_000 }, (_, word) => `wort${turn}${word % 613}`).join(" ");
  for (let turn = 0; turn < 25; turn++) await ask(longText(turn).slice(0, 31_000));
  const short = await ask("And?");
  // About 4 characters are a token.
  expect(Math.max(...charactersOf(0))).toBeLessThan(16_000 * 5);
  expect(short).toBeGreaterThan(0);
});
