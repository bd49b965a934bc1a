import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Version of a secret in the stub. */
export interface StoredSecret {
  /** Missing in a binary secret. */
  readonly SecretString?: string;
  /** Epoch seconds. */
  readonly CreatedDate?: number;
}

/** Stub of Secrets Manager. */
export interface SecretsManagerStub {
  readonly endpoint: string;
  /** Values by name or ARN. A call fails for any other secret. */
  readonly stored: Map<string, StoredSecret>;
  /** Calls so far. */
  readonly calls: { readonly operation: string; readonly id: string }[];
  stop(): void;
}

/** Starts a stub of Secrets Manager, without any checks of rights. */
export async function startSecretsManager(): Promise<SecretsManagerStub> {
  const stored = new Map<string, StoredSecret>();
  const calls: { operation: string; id: string }[] = [];
  const server = createServer(async (request, response) => {
    const { SecretId: id, SecretString } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const operation = String(request.headers["x-amz-target"]).replace("secretsmanager.", "");
    calls.push({ operation, id });
    const secret = stored.get(id);
    if (secret && operation === "PutSecretValue") stored.set(id, { SecretString, CreatedDate: Date.now() / 1_000 });
    response.writeHead(secret ? 200 : 400);
    response.end(JSON.stringify(secret ?? { __type: "ResourceNotFoundException" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored,
    calls,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Lets the code of this process call the stub. */
export function callSecretsManager({ endpoint }: SecretsManagerStub): void {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    LOG_LEVEL: "error",
  });
}
