import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

let stateDir: string;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "switchboard-demo-"));
});

afterAll(() => rm(stateDir, { recursive: true, force: true }));

const start = () => startSwitchboard({ stateDir, arguments: ["--with", "infra/demo/main.ts"] });

/** Reads the demo's URL from the output of an instance. */
async function waitForDemoUrl({ output }: Switchboard): Promise<string> {
  const findLine = () => output.find((line) => line.startsWith("Demo: "));
  await expect.poll(findLine).toBeDefined();
  return /http:\/\/\S+/.exec(findLine() ?? "")?.[0] ?? "";
}

const readEmbedKey = async (address: string) =>
  /data-embed-key="(swe_[a-z0-9]{8}_[0-9a-f]{32})"/.exec(await (await fetch(address)).text())?.[1];

it("widget on the demo page can chat, and its embed key stays valid after a restart", async () => {
  const first = await start();
  const browser = await startBrowser();
  let key: string | undefined;
  try {
    const address = await waitForDemoUrl(first);
    key = await readEmbedKey(address);
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    const consoleMessages: string[] = [];
    page.on("console", (message) => consoleMessages.push(message.text()));
    await page.goto(address);
    expect(new URL(page.url()).origin).not.toBe(first.baseUrl);
    await page.locator("assistant-chat .launcher").click();
    await page.getByRole("button", { name: "How long does delivery take?" }).click();
    await page.locator("assistant-chat .message", { hasText: "two to three working days" }).waitFor();
    await page.locator("assistant-chat .sources", { hasText: "Fjord Coffee" }).waitFor();
    await page.screenshot({ path: join(import.meta.dirname, "../../test-results/widget/demo.png") });
    expect(consoleMessages.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  } finally {
    await browser.close();
    await first.stop();
  }

  const second = await start();
  try {
    const address = await waitForDemoUrl(second);
    expect(await readEmbedKey(address)).toBe(key);
    const startResponse = await fetch(`${second.baseUrl}/v1/embed/sessions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-embed-key": key ?? "",
        "idempotency-key": "demo",
        origin: new URL(address).origin,
      },
      body: "{}",
    });
    expect(startResponse.status).toBe(201);
  } finally {
    await second.stop();
  }
});
