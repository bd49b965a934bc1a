import { expect, it } from "vitest";
import { setUpConsoleSuite } from "../console-suite.ts";

const suite = setUpConsoleSuite();

/** Waits until the browser keeps the messages of a conversation. */
const kept = (id: string) =>
  `caches.open("switchboard-data").then((cache) => cache.keys()).then((keys) => keys.some(({ url }) => url.includes("${id}/messages")))`;

/** Opens the console with a service worker. */
const visit = (path: string) => suite.visit({ path, serviceWorkers: "allow" });

async function ask(text: string, title: string, fields: object = {}) {
  const client = await suite.client();
  const { body } = await client.post("/v1/conversations", { title, ...fields });
  await client.chat({ conversation_id: body.id, content: text, tier: "QUICK" });
  return body.id as string;
}

it("console shows the last conversations after a reload without a connection, and says that it is offline", async () => {
  const id = await ask("How deep is the harbor?", "Soundings");
  const { page, context } = await visit(`/console/chat/${id}`);
  await page.getByText("How deep is the harbor?").first().waitFor();
  await expect.poll(() => page.evaluate(kept(id))).toBe(true);
  await context.setOffline(true);
  await page.reload();
  await page.getByText("How deep is the harbor?").first().waitFor();
  await page.getByText("You are offline.").waitFor();
  await page.getByRole("link", { name: "Soundings" }).first().waitFor();
  await context.setOffline(false);
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("And now?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("And now?").first().waitFor();
});

it("console keeps nothing of a temporary conversation, of what was deleted, and of another user", async () => {
  const client = await suite.client();
  const temporary = await ask("A secret plan.", "Passing", { temporary: true });
  const id = await ask("Where is the buoy?", "Marks");
  const { page, context } = await visit(`/console/chat/${temporary}`);
  await page.getByText("A secret plan.").first().waitFor();
  await page.goto(`${suite.service.baseUrl}/console/chat/${id}`);
  await expect.poll(() => page.evaluate(kept(id))).toBe(true);
  const texts = () =>
    page.evaluate(
      `caches.open("switchboard-data").then(async (cache) => Promise.all((await cache.keys()).map(async (key) => (await cache.match(key)).text()))).then((all) => all.join("\\n"))`,
    ) as Promise<string>;
  await page.goto(`${suite.service.baseUrl}/console/chat/${temporary}`);
  await page.getByText("A secret plan.").first().waitFor();
  await expect
    .poll(async () => [(await texts()).includes("temporary"), (await texts()).includes("secret plan")])
    .toEqual([true, false]);
  await client.delete(`/v1/conversations/${id}`);
  await page.goto(`${suite.service.baseUrl}/console/chat/${id}`);
  await page.getByText("This conversation does not exist").waitFor();
  await expect.poll(async () => (await texts()).includes("Where is the buoy?")).toBe(false);
  const other = await ask("Who rings the bell?", "Bells");
  await page.goto(`${suite.service.baseUrl}/console/chat/${other}`);
  await expect.poll(() => page.evaluate(kept(other))).toBe(true);
  await context.setOffline(true);
  await page.evaluate(`localStorage.setItem("switchboard.local-identity", '{"user":"vera","roles":"viewer"}')`);
  await page.reload();
  await page.getByRole("alert").first().waitFor();
  expect(await page.getByText("Who rings the bell?").count()).toBe(0);
});
