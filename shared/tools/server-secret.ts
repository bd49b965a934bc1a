import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import type { StoredToolServer } from "./server-store.ts";
import { ToolServerError } from "./tool-server-error.ts";

/** The origin is part of the purpose, so that no other site can receive the secret. */
const purposeOf = ({ id, url }: Pick<StoredToolServer, "id" | "url">) => `tool-server:${id}:${new URL(url).origin}`;

/** Encrypts the value of a server's header. */
export async function sealServerSecret(server: Pick<StoredToolServer, "id" | "url">, secret: string): Promise<string> {
  return encrypt((await loadAppSecrets()).current, purposeOf(server), secret);
}

/**
 * Returns the secret of a server: the value of its header, or that of the client at its authorization server.
 * @throws ToolServerError if it cannot be decrypted
 */
export async function openServerSecret(server: StoredToolServer): Promise<string | null> {
  const { sealed_secret } = server;
  if (sealed_secret === null) return null;
  const { all } = await loadAppSecrets();
  const secret = verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(server), sealed_secret));
  if (secret === null) throw new ToolServerError("The secret of the server has to be entered again.");
  return secret;
}
