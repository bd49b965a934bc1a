import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";

/** Number of damaged tokens and of revocation races. */
const damagedTokens = sized({ usual: 400, full: 2_000, soak: 10_000 });
const rounds = sized({ usual: 20, full: 60, soak: 200 });

interface Link {
  readonly link_id: string;
  readonly token: string;
  readonly url: string;
}

/** Requests a shared view without credentials. */
async function visit(client: Client, token: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const response = await fetch(`${client.baseUrl}/v1/shared/${token}`, { headers });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

const createLink = async (owner: Client, id: string, expires_in = "1h"): Promise<Link> =>
  (await owner.post(`/v1/chat/${id}/share-link`, { expires_in })).body;

const getLinkStatus = async (owner: Client, id: string, linkId: string) =>
  (await owner.get(`/v1/chat/${id}/share-links/${linkId}`)).body.status;

it.each([
  ["1h", 1],
  ["24h", 24],
  ["7d", 168],
  ["30d", 720],
])("share link can be created with a lifetime of %s", async (expires_in, hours) => {
  const owner = new Client();
  const id = await owner.createConversation();
  const createdResponse = await owner.post(`/v1/chat/${id}/share-link`, { expires_in });
  const { link_id, token, expires_at } = createdResponse.body;
  expect([createdResponse.status, createdResponse.headers.get("location")]).toEqual([
    201,
    `/v1/chat/${id}/share-links/${link_id}`,
  ]);
  expect(createdResponse.body).toEqual({ link_id, token, url: `/v1/shared/${token}`, expires_in, expires_at });
  expect(Buffer.from(token, "base64url").length).toBeGreaterThanOrEqual(32);
  const [listed] = (await owner.get(`/v1/chat/${id}/share-link`)).body.links;
  expect(listed).toEqual({
    link_id,
    expires_in,
    expires_at,
    status: "active",
    views: 0,
    last_viewed_at: null,
    created_at: new Date(Date.parse(expires_at) - hours * 3_600_000).toISOString(),
  });
  expect((await owner.get(createdResponse.headers.get("location") ?? "")).body).toEqual(listed);
});

it.each(["2h", "", 1, null])("share link cannot be created with a lifetime of %j", async (expires_in) => {
  const owner = new Client();
  const id = await owner.createConversation();
  expect((await owner.post(`/v1/chat/${id}/share-link`, { expires_in })).status).toBe(400);
});

it("share link can be created, listed and revoked by no user but the owner of its conversation", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const { link_id } = await createLink(owner, id);
  const reader = await createColleague(owner);
  await owner.post(`/v1/chat/${id}/share`, { user_id: reader.identity.user, permission: "WRITE" });
  for (const [client, expected] of [
    [reader, 403],
    [await createColleague(owner), 404],
    [new Client(), 404],
  ] as const) {
    for (const response of [
      await client.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" }),
      await client.get(`/v1/chat/${id}/share-link`),
      await client.get(`/v1/chat/${id}/share-links/${link_id}`),
      await client.delete(`/v1/chat/${id}/share-links/${link_id}`),
    ]) {
      expect(response.status).toBe(expected);
    }
  }
  expect(await getLinkStatus(owner, id, link_id)).toBe("active");
});

it("share link returns the same token for a retry of its creation", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const headers = { "idempotency-key": randomUUID() };
  const createWithKey = () => owner.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" }, headers);
  const [first, secondResponse] = [await createWithKey(), await createWithKey()];
  expect(secondResponse.body).toEqual(first.body);
  expect(secondResponse.headers.get("idempotent-replayed")).toBe("true");
  expect((await owner.get(`/v1/chat/${id}/share-link`)).body.links.length).toBe(1);
  expect((await visit(owner, first.body.token)).status).toBe(200);
});

it("page behind a share link shows the messages that existed when the link was created, without private data", async () => {
  const owner = new Client();
  const id = await owner.createConversation("Our plans");
  await owner.chat({ conversation_id: id, content: "First question", tier: "QUICK" });
  await sleep(5);
  const link = await createLink(owner, id);
  await owner.chat({ conversation_id: id, content: "Second question", tier: "QUICK" });
  const messages = (await owner.get(`/v1/conversations/${id}/messages`)).body.messages;
  const view = await visit(owner, link.token);
  expect(view.status).toBe(200);
  expect(Object.keys(view.body).sort()).toEqual(["expires_at", "messages", "next_cursor", "shared_at", "title"]);
  expect(view.body).toMatchObject({ title: "Our plans", next_cursor: null });
  expect(view.body.messages).toEqual(
    messages.slice(0, 2).map(({ role, content, model, digital_source_type, created_at }: Record<string, unknown>) => ({
      ...{ role, content, model, created_at },
      ...(role === "assistant" && { digital_source_type }),
    })),
  );
  const secrets = [id, owner.identity.tenant, owner.identity.user, link.link_id];
  for (const { message_id } of messages) secrets.push(message_id);
  for (const secret of secrets) expect(view.text).not.toContain(secret);
  expect(view.headers.get("referrer-policy")).toBe("no-referrer");
  expect(view.headers.get("x-robots-tag")).toBe("noindex");
  expect(view.headers.get("cache-control")).toBe("no-store");
  expect(view.headers.get("x-ratelimit-limit")).toBe("30");
});

it("page behind a share link omits memory proposals, knowledge proposals and the texts of sources", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const answer = (
    await owner.post(
      "/v1/runtime/chat",
      { conversation_id: id, content: "Hi", tier: "QUICK" },
      { accept: "application/json" },
    )
  ).body;
  await owner.patch(`/v1/conversations/${id}/messages/${answer.message_id}`, {
    content: [
      { type: "text", text: "Shown" },
      {
        type: "citation",
        index: 1,
        source_id: "secret-source",
        source_type: "document",
        title: "Handbook",
        collection_id: "secret-collection",
        uri: "https://secret.example",
        quote: "secret quote",
        score: 1,
      },
      {
        type: "citation",
        index: 2,
        source_id: "secret-source",
        source_type: "web",
        title: "Handbook",
        collection_id: null,
        uri: "https://secret.example",
        quote: "secret quote",
        score: 1,
      },
      {
        type: "memory_proposal",
        memory_id: "m",
        text: "secret memory",
        scope: "user",
        category: "fact",
        read_untrusted: false,
      },
      { type: "memory_deletion", memory_id: "m", text: "secret memory" },
      { type: "knowledge_proposal", proposal_id: "p", collection_id: null, title: "t", text: "secret proposal" },
    ],
  });
  await sleep(5);
  const view = await visit(owner, (await createLink(owner, id)).token);
  expect(view.body.messages[1].content).toEqual([
    { type: "text", text: "Shown" },
    { type: "citation", index: 1, title: "A source that you may not read, or that was deleted" },
    { type: "citation", index: 2, title: "Handbook" },
  ]);
  expect(view.text).not.toContain("secret");
});

it("page behind a share link is split into pages for a long conversation", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  for (let n = 0; n < 24; n += 8) {
    await Promise.all(
      Array.from({ length: 8 }, () =>
        owner.chat({ conversation_id: id, content: "\u4e2d".repeat(31_000), tier: "QUICK" }),
      ),
    );
  }
  await sleep(5);
  const { token } = await createLink(owner, id);
  const first = await visit(owner, token);
  expect(first.body.next_cursor).not.toBeNull();
  expect(first.text.length).toBeLessThan(2_500_000);
  const second = await visit(owner, `${token}?cursor=${first.body.next_cursor}`);
  expect(second.body.next_cursor).toBeNull();
  expect(first.body.messages.length + second.body.messages.length).toBe(48);
  expect((await visit(owner, `${token}?cursor=${first.body.next_cursor}A`)).body.code).toBe("invalid_cursor");
  const [{ views, last_viewed_at, created_at }] = (await owner.get(`/v1/chat/${id}/share-link`)).body.links;
  expect([views, last_viewed_at >= created_at]).toEqual([1, true]);
});

it("page behind a share link is an HTML page in which all content is escaped", async () => {
  const owner = new Client();
  const evil = `<script>alert(1)</script><img src=x onerror=alert(1)> "'& [x](javascript:alert(1))`;
  const id = await owner.createConversation(`Title ${evil}`);
  const answer = (
    await owner.post(
      "/v1/runtime/chat",
      { conversation_id: id, content: evil, tier: "QUICK" },
      { accept: "application/json" },
    )
  ).body;
  const content = [
    { type: "text", text: `**Bold** ${evil}` },
    { type: "code", language: `"><script>`, code: evil },
    { type: "table", columns: [evil], rows: [[evil]] },
    { type: "list", ordered: true, items: [evil, `<svg onload=alert(1)>`] },
    { type: "image", url: `javascript:alert(1)//" onclick="x`, alt: evil },
    { type: "image", url: `https://example.com/"onclick="x`, alt: "Map" },
    { type: "vega", spec: { description: evil } },
    {
      type: "citation",
      index: 1,
      source_id: "s",
      source_type: "document",
      title: evil,
      collection_id: null,
      uri: null,
      quote: "",
      score: 1,
    },
  ];
  const editResponse = await owner.patch(`/v1/conversations/${id}/messages/${answer.message_id}`, { content });
  expect(editResponse.status).toBe(200);
  await sleep(5);
  const page = await visit(owner, (await createLink(owner, id)).token, {
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const body = page.text.slice(page.text.indexOf("<body>"));
  const tags = new Set([...body.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name?.toLowerCase()));
  for (const name of ["script", "img", "svg", "style", "iframe"]) expect(tags).not.toContain(name);
  const attributes = new Set(
    [...body.matchAll(/<[a-z0-9]+((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi)].flatMap(([, all]) =>
      [...(all ?? "").matchAll(/\s([a-z-]+)=/gi)].map(([, name]) => name),
    ),
  );
  const harmless = [
    "class",
    "datetime",
    "dir",
    "href",
    "rel",
    "scope",
    "start",
    "target",
    "itemprop",
    "itemtype",
    "content",
  ];
  expect([...attributes].filter((name) => !harmless.includes(name ?? ""))).toEqual([]);
  expect(body).not.toMatch(/href="\s*javascript:/i);
  expect(body).toContain("<strong>Bold</strong>");
  expect(body).toContain("Title &lt;script&gt;");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; /);
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  expect(page.headers.get("x-robots-tag")).toBe("noindex");
});

it("page behind a share link is counted when opened and can be opened 30 times a minute", async () => {
  const remainingMs = 60_000 - (Date.now() % 60_000);
  if (remainingMs < 15_000) await sleep(remainingMs);
  const owner = new Client();
  const id = await owner.createConversation();
  const [one, other] = [await createLink(owner, id), await createLink(owner, id)];
  const responses = await Promise.all(Array.from({ length: 40 }, () => visit(owner, one.token)));
  expect(responses.filter((response) => response.status === 200).length).toBe(30);
  expect(responses.filter((response) => response.status === 429 && response.headers.get("retry-after")).length).toBe(
    10,
  );
  expect((await visit(owner, other.token)).status).toBe(200);
  const { links } = (await owner.get(`/v1/chat/${id}/share-link`)).body;
  expect(links.map(({ link_id, views }: { link_id: string; views: number }) => [link_id, views])).toEqual([
    [other.link_id, 1],
    [one.link_id, 30],
  ]);
});

it("page behind a share link returns 410 after the link was revoked", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const { token, link_id } = await createLink(owner, id);
  const path = `/v1/chat/${id}/share-links/${link_id}`;
  expect((await owner.delete(path)).status).toBe(204);
  expect(await getLinkStatus(owner, id, link_id)).toBe("revoked");
  const view = await visit(owner, token);
  expect([view.status, view.body.code, view.headers.get("x-robots-tag")]).toEqual([410, "gone", "noindex"]);
  expect((await owner.delete(path)).status).toBe(204);
  expect((await owner.delete(`/v1/chat/${id}/share-links/${randomUUID()}`)).status).toBe(404);
});

it(`page behind a share link shows nothing after the link was revoked, in ${rounds} rounds of concurrent views and revocations`, async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  for (let round = 0; round < rounds; round++) {
    const { token, link_id } = await createLink(owner, id);
    let isRevoked = false;
    const viewers = Array.from({ length: 4 }, async () => {
      for (let attempt = 0; attempt < 6; attempt++) {
        const wasRevoked = isRevoked;
        const view = await visit(owner, token);
        if (wasRevoked) expect(view.status).toBe(410);
        else expect([200, 410]).toContain(view.status);
      }
    });
    await owner.delete(`/v1/chat/${id}/share-links/${link_id}`);
    isRevoked = true;
    await Promise.all(viewers);
  }
});

it("page behind a share link returns 410 once the conversation is deleted, also after its data was purged", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const [link, revokedLink] = [await createLink(owner, id), await createLink(owner, id)];
  await owner.delete(`/v1/chat/${id}/share-links/${revokedLink.link_id}`);
  await owner.delete(`/v1/conversations/${id}`);
  for (let attempt = 0; attempt < 10; attempt++) {
    expect((await visit(owner, link.token)).status).toBe(410);
    expect((await visit(owner, revokedLink.token)).status).toBe(410);
    await sleep(200);
  }
});

it(`page behind a share link returns 404 for each of ${damagedTokens} altered tokens`, async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const { token } = await createLink(owner, id);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const withChangedCharacter = (index: number) => {
    const letter = letters[(letters.indexOf(token[index] ?? "") + 1 + randomInt(63)) % 64];
    return token.slice(0, index) + letter + token.slice(index + 1);
  };
  // Tokens must differ, because a token that is repeated reaches its rate limit.
  const damageKinds: (() => string)[] = [
    () => withChangedCharacter(randomInt(token.length)),
    () => withChangedCharacter(randomInt(20)).slice(0, -1 - randomInt(30)),
    () => token + randomBytes(3).toString("base64url"),
    () => randomBytes(42).toString("base64url"),
    () => `${token.slice(0, randomInt(22))}${randomBytes(42).toString("base64url")}`.slice(0, token.length),
    () => randomUUID(),
  ];
  const bodies = new Set<string>();
  /** Measures the ratio of the slowest to the fastest kind's median response time. */
  const measureTimingRatio = async () => {
    const times: number[][] = damageKinds.map(() => []);
    const workers = Array.from({ length: 8 }, async (_, worker) => {
      for (let n = worker; n < damagedTokens; n += 8) {
        const damaged = damageKinds[n % damageKinds.length]?.() ?? "";
        if (damaged === token) continue;
        const start = performance.now();
        const view = await visit(owner, damaged, { "x-request-id": "same" });
        times[n % damageKinds.length]?.push(performance.now() - start);
        expect([damaged, view.status]).toEqual([damaged, 404]);
        bodies.add(view.text);
      }
    });
    await Promise.all(workers);
    const medians = times.map((values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
    console.log(`medians of damaged tokens, ms: ${medians.map((ms) => ms.toFixed(2)).join(", ")}`);
    return Math.max(...medians) / Math.min(...medians);
  };
  // A real timing difference shows in every round; noise from a busy machine does not.
  let minRatio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && minRatio >= 1.5; round++) minRatio = Math.min(minRatio, await measureTimingRatio());
  expect(minRatio).toBeLessThan(1.5);
  expect(bodies.size).toBe(1);
  await vi.waitFor(async () => expect((await visit(owner, token)).status).toBe(200), { timeout: 180_000 });
});

it("share link of a temporary conversation expires with the conversation at the latest", async () => {
  const client = new Client();
  const { body: conversation } = await client.post("/v1/conversations", { title: null, temporary: true });
  const expiryOf = async (expires_in: string) =>
    Date.parse((await client.post(`/v1/chat/${conversation.id}/share-link`, { expires_in })).body.expires_at);
  const end = Date.parse(conversation.last_activity_at) + 86_400_000;
  for (const lifetime of ["24h", "30d"]) expect(await expiryOf(lifetime)).toBeLessThanOrEqual(end);
  expect(await expiryOf("1h")).toBeLessThan(end - 20 * 3_600_000);
});
