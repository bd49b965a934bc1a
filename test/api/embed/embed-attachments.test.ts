import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";

let admin: Client;
let site: Site;
let session: string;

const createdKey = (allowed: boolean) => createSite(admin, { attachments: allowed });

beforeAll(async () => {
  admin = new Client();
  site = await createdKey(true);
  session = await site.createSession();
});

const text = "High tide is at 14:32 in Brest.";

/** Uploads a file of a visitor and waits until it was read. */
async function attach(fileName: string, content: string, from = site, id = session) {
  const path = `/v1/embed/sessions/${id}/attachments`;
  const { status, body } = await from.request("POST", path, { file_name: fileName, size: content.length });
  if (status !== 201) return { status, body };
  const { method, url, headers } = body.upload;
  await fetch(url, { method, headers, body: content });
  for (;;) {
    const current = await from.request("GET", `${path}/${body.attachment.id}`);
    // Each look counts for the limit of requests of the visitor.
    if (current.body.status !== "pending") return current;
    await sleep(300);
  }
}

it("file of a widget visitor is read, is part of the message, and is named in the session", async () => {
  const { body: file } = await attach("tides.txt", text);
  expect(file).toEqual({
    id: expect.any(String),
    file_name: "tides.txt",
    kind: "file",
    size: text.length,
    status: "ready",
    failure: null,
  });
  const response = await site.request(
    "POST",
    `/v1/embed/sessions/${session}/messages`,
    { content: "When is high tide?", attachments: [file.id] },
    { accept: "application/json" },
  );
  expect(response.status).toBe(200);
  const { messages } = (await site.getSession(session)).body;
  expect(messages[0].attachments).toEqual([{ id: file.id, file_name: "tides.txt", kind: "file", size: text.length }]);
});

it("file of a widget visitor cannot be attached when the embed key does not allow attachments", async () => {
  const other = await createdKey(false);
  const id = await other.createSession();
  expect((await other.getSession(id)).body.attachments).toBeUndefined();
  expect((await attach("tides.txt", text, other, id)).status).toBe(403);
  const path = `/v1/embed/sessions/${id}/messages`;
  const message = { content: "Hello", attachments: ["01a00000-0000-7000-8000-000000000000"] };
  expect((await other.request("POST", path, message)).status).toBe(403);
  await admin.patch(`/v1/tenant/embed-keys/${other.key.id}`, { attachments: true });
  expect((await other.getSession(id)).body.attachments).toBe(true);
});

it("file of a widget visitor can be neither read nor sent by another visitor of the same website", async () => {
  const { body: file } = await attach("mine.txt", text);
  const id = await site.createSession();
  expect((await site.request("GET", `/v1/embed/sessions/${id}/attachments/${file.id}`)).status).toBe(404);
  const message = { content: "Hello", attachments: [file.id] };
  expect((await site.request("POST", `/v1/embed/sessions/${id}/messages`, message)).status).toBe(404);
});

it("file of a widget visitor is refused for its format, size or content with an error that says what to do", async () => {
  expect((await attach("program.exe", "MZ")).status).toBe(415);
  const path = `/v1/embed/sessions/${session}/attachments`;
  expect((await site.request("POST", path, { file_name: "a.pdf", size: 20_971_521 })).status).toBe(400);
  const { body } = await attach("photo.png", "no image");
  expect(body).toMatchObject({ status: "failed", failure: { code: "mislabeled" } });
});
