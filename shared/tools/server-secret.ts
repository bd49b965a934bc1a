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
 * Returns the headers with which requests to a server authenticate.
 * @throws ToolServerError if the secret cannot be decrypted
 */
export async function loadServerHeaders(server: StoredToolServer): Promise<Record<string, string>> {
  const { auth, sealed_secret } = server;
  if (auth.type === "none" || auth.header === null || sealed_secret === null) return {};
  const { all } = await loadAppSecrets();
  const secret = verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(server), sealed_secret));
  if (secret === null) throw new ToolServerError("The secret of the server has to be entered again.");
  return { [auth.header]: secret };
}
