import { execFile } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifySessionId } from "#shared/embed/visitor-ids.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

const MINUTE_MS = 60_000;
const clock = createMovableClock();

let service: Switchboard;
let admin: Client;
let site: Site;

/** Runs `npm run rotate` with the local Secrets Manager; returns the error output of a failure. */
const rotate = (...options: string[]) => rotateSecret("app-secret", ...options);

async function rotateSecret(name: string, ...options: string[]): Promise<string> {
  const { address } = JSON.parse(readFileSync(join(service.stateDir, "lock.json"), "utf8"));
  const env = {
    ...process.env,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "operator",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: `http://${address}`,
    NODE_OPTIONS: clock.nodeOption,
  };
  const script = ["infra/commands/rotate.ts", `switchboard-local-${name}`, ...options];
  return promisify(execFile)("node", script, { env }).then(
    () => "",
    ({ stderr }) => stderr,
  );
}

/** Returns the value of the app secret, which is JSON after a rotation. */
function readAppSecret(): { current: string; previous: string; older: string[] } {
  const values: Record<string, string | { value: string }> = JSON.parse(
    readFileSync(join(service.stateDir, "secrets.json"), "utf8"),
  );
  const stored = Object.entries(values).find(([name]) => name.includes("AppSecret"))?.[1];
  return typeof stored === "object" ? JSON.parse(stored.value) : { current: String(stored), previous: "", older: [] };
}

/** Checks which secret has signed a session id. */
const isSignedWith = (secret: string, sessionId: string) =>
  verifySessionId(secret, { tenantId: admin.identity.tenant, keyId: site.key.id }, sessionId) !== null;

const useKey = (key: string, path: string, body?: object) =>
  fetch(`${service.baseUrl}/openai/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Requests with credentials that were made before a rotation. */
type Requests = Record<string, () => Promise<unknown>>;

/** Requests by the lifetime of what they name, and what they return while its secret is accepted. */
interface Credentials {
  readonly longLived: Requests;
  readonly signed: Requests;
  readonly expiringInOneDay: Requests;
  readonly expected: { readonly longLived: object; readonly signed: object; readonly expiringInOneDay: object };
}

/** Creates credentials of all kinds. */
async function createCredentials(): Promise<Credentials> {
  const creation = { "idempotency-key": randomUUID() };
  const keyBody = { description: "k", scopes: ["chat.completions", "models.read"] };
  const createKey = async () => (await admin.post("/v1/tenant/api-keys", keyBody, creation)).body.key;
  const key: string = await createKey();
  const { body: persona } = await admin.post("/v1/personas", {
    ...{ name: "Helper", instructions: "Be brief.", visibility: "public", tier: "QUICK" },
  });
  const slug = `helper-${randomUUID().slice(0, 8)}`;
  await admin.post(`/v1/personas/${persona.id}/publish`, { slug });
  const question = { model: slug, messages: [{ role: "user", content: "Hello" }] };
  const completion = (await (await useKey(key, "/chat/completions", question)).json()) as { id: string };
  const conversationId = await admin.createConversation();
  const { body: link } = await admin.post(`/v1/chat/${conversationId}/share-link`, { expires_in: "30d" });
  const channel = await createChannel({}, admin);
  const sealed = await createChannel({ provider_secret: "secret of the provider" }, admin);
  const channelBody = { channel_id: `c-${randomUUID()}`, conversation_id: conversationId };
  const register = async () => (await admin.post("/v1/webhooks/register", channelBody, creation)).body.secret;
  const channelSecret: string = await register();
  const archive = (await admin.post("/v1/exports", {})).body.export;
  await expect.poll(async () => (await admin.get(`/v1/exports/${archive.id}`)).body.status).toBe("ready");
  const session = await site.createSession();
  const deliver = async ({ post }: Pick<typeof channel, "post">, secret: string) => {
    const alert = JSON.stringify({ severity: "high", description: `Disk ${randomUUID()} is full` });
    return (await post(alert, { "x-webhook-signature": hmacHex(secret, alert) })).status;
  };
  const signature = createHmac("sha256", site.key.visitor_secret).update("customer").digest("hex");
  const longLived: Requests = {
    key: async () => (await useKey(key, "/models")).status,
    keyHint: async () => {
      const { keys } = (await admin.get("/v1/tenant/api-keys")).body;
      return keys.find((each: { key_hint: string | null }) => each.key_hint === key.slice(-4))?.description;
    },
    shareLink: async () => (await admin.get(`/v1/shared/${link.token}`)).status,
    alert: () => deliver(channel, channel.registration.secret as string),
    alertOfProvider: () => deliver(sealed, "secret of the provider"),
    verifiedVisitor: async () => (await site.startSession({ visitor: { id: "customer", signature } })).status,
    newSession: async () => (await site.getSession(await site.createSession())).status,
  };
  return {
    longLived,
    signed: {
      session: async () => (await site.getSession(session)).status,
      completion: async () => (await useKey(key, `/chat/completions/${completion.id}/cancel`, {})).status,
    },
    expiringInOneDay: {
      retriedCreation: createKey,
      retriedRegistration: register,
      download: async () => {
        const { download_url } = (await admin.get(`/v1/exports/${archive.id}`)).body;
        return (await fetch(service.baseUrl + download_url)).status;
      },
    },
    expected: {
      longLived: {
        ...{ key: 200, keyHint: "k", shareLink: 200, alert: 200, alertOfProvider: 200 },
        ...{ verifiedVisitor: 201, newSession: 200 },
      },
      signed: { session: 200, completion: 200 },
      expiringInOneDay: { retriedCreation: key, retriedRegistration: channelSecret, download: 200 },
    },
  };
}

/** Sends all requests concurrently. */
const sendAll = async (requests: Requests) =>
  Object.fromEntries(await Promise.all(Object.entries(requests).map(async ([name, send]) => [name, await send()])));

const stateDir = mkdtempSync(join(tmpdir(), "switchboard-rotation-"));

const start = () =>
  startSwitchboard({
    stateDir,
    nodeOptions: [clock.nodeOption],
    env: {
      EMBED_SESSION_SECONDS: String(30 * 86_400),
      RATE_LIMIT_EMBED_SESSION: "1000000",
      RATE_LIMIT_CHANNEL: "1000000",
      RATE_LIMIT_API_KEY: "1000000",
      RATE_LIMIT_SHARED_LINK: "1000000",
    },
  });

beforeAll(async () => {
  service = await start();
  admin = new Client(newIdentity(), service.baseUrl);
  site = await createSite(admin, { persona: {} });
});

afterAll(async () => {
  await service?.stop();
  rmSync(stateDir, { recursive: true });
});

it("rotation of the app secret fails no request, signs with the new secret once every function has loaded it, and ends sessions at the second rotation", async () => {
  const first = readAppSecret().current;
  const { longLived, signed, expiringInOneDay, expected } = await createCredentials();
  const sendEverything = async () => ({
    longLived: await sendAll(longLived),
    signed: await sendAll(signed),
    expiringInOneDay: await sendAll(expiringInOneDay),
  });
  expect(await sendEverything()).toEqual(expected);

  // Functions that verify session ids read the secret just before the rotation, the one that signs them just after it.
  clock.advance(4.5 * MINUTE_MS);
  expect(await sendAll(signed)).toEqual(expected.signed);
  expect(await Promise.all([rotate(), sendAll(signed)])).toEqual(["", expected.signed]);
  const second = readAppSecret();
  expect(second).toEqual({ current: expect.stringMatching(/^[\w-]{64}$/), previous: first, older: [] });
  // Functions read the secret at different times, so that old and new values are in use for five minutes.
  for (let minutes = 1.5; minutes <= 15; minutes += 1.5) {
    clock.advance(1.5 * MINUTE_MS);
    expect([minutes, await sendEverything()]).toEqual([minutes, expected]);
    if (minutes < 10) expect(isSignedWith(first, await site.createSession())).toBe(true);
  }
  const secondSession = await site.createSession();
  expect(isSignedWith(second.current, secondSession)).toBe(true);

  expect(await rotate()).toContain("changed less than a day ago");
  expect(readAppSecret()).toEqual(second);
  clock.advance(25 * 60 * MINUTE_MS);
  expect(await rotate()).toBe("");
  const third = readAppSecret();
  expect(third).toEqual({ current: expect.any(String), previous: second.current, older: [first] });
  for (let minutes = 4; minutes <= 16; minutes += 4) {
    clock.advance(4 * MINUTE_MS);
    expect([minutes, await sendAll(longLived)]).toEqual([minutes, expected.longLived]);
    expect((await site.getSession(secondSession)).status).toBe(200);
  }
  expect(isSignedWith(third.current, await site.createSession())).toBe(true);
  expect(await sendAll(signed)).toEqual({ session: 404, completion: 404 });

  expect(await rotate("--revoke")).toBe("");
  expect(readAppSecret()).toEqual({ current: third.current, previous: "" });
  clock.advance(6 * MINUTE_MS);
  // Keys and share links are looked up by their hashes. What is verified with a removed secret is rejected.
  expect(await sendAll(longLived)).toEqual({
    ...expected.longLived,
    ...{ keyHint: undefined, alert: 401, alertOfProvider: 401, verifiedVisitor: 401 },
  });
});

it("rotation of the origin secret refuses none of 20 chats, neither before CloudFront sends the new value nor afterwards", async () => {
  const chats = async (count: number) => {
    const conversations = await Promise.all(Array.from({ length: count }, () => admin.createConversation()));
    return Promise.all(
      conversations.map((conversation_id) =>
        admin.chat({ conversation_id, content: "Hello", tier: "QUICK" }).then(
          () => "answered",
          ({ message }) => message,
        ),
      ),
    );
  };
  const started = [chats(5), rotateSecret("origin-secret")] as const;
  const answers = await started[0];
  expect(await started[1]).toBe("");
  // The functions read the new value, while CloudFront sends the previous one until it is deployed.
  clock.advance(6 * MINUTE_MS);
  answers.push(...(await chats(5)));
  await service.stop();
  service = await start();
  admin = new Client(admin.identity, service.baseUrl);
  answers.push(...(await chats(10)));
  expect(answers).toEqual(Array(20).fill("answered"));
});
