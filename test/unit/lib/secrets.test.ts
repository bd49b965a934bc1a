import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

/** Values of the stubbed Secrets Manager by secret; it fails for any other. */
const stored = new Map<string, string>();
const requests: { target: string | undefined; id: string }[] = [];
let server: Server;
let secrets: typeof import("#shared/lib/secrets.ts");

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    requests.push({ target: request.headers["x-amz-target"] as string, id: body.SecretId });
    const SecretString = stored.get(body.SecretId);
    response.writeHead(SecretString === undefined ? 400 : 200);
    response.end(
      JSON.stringify(SecretString === undefined ? { __type: "ResourceNotFoundException" } : { SecretString }),
    );
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("LOG_LEVEL", "error");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
});

beforeEach(async () => {
  stored.clear();
  requests.length = 0;
  vi.resetModules();
  secrets = await import("#shared/lib/secrets.ts");
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

describe("loadSecret(), which reads secrets that settings name", () => {
  it("returns any other setting as it is, without a request", async () => {
    for (const setting of ["", "sk-plain", "https://a.example"]) {
      expect(await secrets.loadSecret(setting)).toBe(setting);
      expect(secrets.getLoadedSecret(setting)).toBe(setting);
    }
    expect(requests).toEqual([]);
  });

  it("reads a secret by name, or a field of its JSON by ARN, once", async () => {
    const arn = "arn:aws:secretsmanager:eu-central-1:1:secret:keys-abc123";
    stored.set("model", "sk-1").set(arn, '{"openai":"sk-2"}');
    expect(secrets.getLoadedSecret("secret:model")).toBe("");
    for (let n = 0; n < 2; n++) {
      expect(await secrets.loadSecret("secret:model")).toBe("sk-1");
      expect(await secrets.loadSecret(`secret:${arn}#openai`)).toBe("sk-2");
    }
    expect(secrets.getLoadedSecret("secret:model")).toBe("sk-1");
    const target = "secretsmanager.GetSecretValue";
    expect(requests).toEqual([
      { target, id: "model" },
      { target, id: arn },
    ]);
  });

  it("returns a rotated value after five minutes, or as soon as a provider has rejected the old one", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      stored.set("model", "old");
      await secrets.loadSecret("secret:model");
      stored.set("model", "new");
      vi.setSystemTime(Date.now() + 299_000);
      expect(await secrets.loadSecret("secret:model")).toBe("old");
      vi.setSystemTime(Date.now() + 2_000);
      expect(await secrets.loadSecret("secret:model")).toBe("new");
      stored.set("model", "newest");
      secrets.expireSecrets();
      expect(await secrets.loadSecret("secret:model")).toBe("newest");
    } finally {
      vi.useRealTimers();
    }
  });

  it("returns the last value while Secrets Manager fails, and throws if there is none", async () => {
    await expect(secrets.loadSecret("secret:model")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    stored.set("model", "sk-1");
    await secrets.loadSecret("secret:model");
    stored.clear();
    secrets.expireSecrets();
    expect(await secrets.loadSecret("secret:model")).toBe("sk-1");
  });
});
