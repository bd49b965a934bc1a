import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import type { StoredToolServer } from "./server-store.ts";
import { ToolServerError } from "./tool-server-error.ts";

/**
 * Returns the encryption purpose of a server's secret. It contains the origin, so that the secret cannot be decrypted
 * for another site.
 */
const purposeOf = ({ id, url }: Pick<StoredToolServer, "id" | "url">) => `tool-server:${id}:${new URL(url).origin}`;

/** Encrypts the secret of a server: the value of its header, or its client secret. */
export async function sealServerSecret(server: Pick<StoredToolServer, "id" | "url">, secret: string): Promise<string> {
  return encrypt((await loadAppSecrets()).current, purposeOf(server), secret);
}

/**
 * Decrypts the secret of a server: the value of its header, or its client secret at the authorization server. Null if
 * it has none.
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
