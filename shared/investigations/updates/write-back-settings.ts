import type { WriteBackInput } from "../../api/webhooks/write-back.ts";
import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { decrypt, encrypt } from "../../auth/encryption.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import { invalidFields } from "../../lib/errors.ts";
import { requireAllowedAddress } from "../../lib/outgoing/find-server-refusal.ts";
import type { StoredWebhookChannel } from "../../webhooks/webhook-channel-store.ts";
import { providers } from "./providers.ts";

type WriteBackChanges = Pick<StoredWebhookChannel, "write_back" | "sealed_write_back_secret">;

/**
 * Returns the encryption context of the secret. It contains the provider and the origin of the URL, so that the secret
 * cannot be decrypted for another host.
 */
const purposeOf = (channel: StoredWebhookChannel, provider: string, url: string) =>
  `write-back:${channel.registration_id}:${provider}:${new URL(url).origin}`;

/**
 * Returns the settings for updates of a channel, with the encrypted secret. A secret that the request omits is kept if
 * provider and host stay the same.
 * @throws ServiceError `validation_failed` if a required field is missing or the provider does not support an action
 */
export async function toWriteBack(
  { userId }: UserPrincipal,
  channel: StoredWebhookChannel,
  { url: givenUrl, secret, ...input }: WriteBackInput,
): Promise<WriteBackChanges> {
  const { write_back: before, sealed_write_back_secret } = channel;
  const { provider } = input;
  const { defaultUrl, requires, actions } = providers[provider];
  const url = (givenUrl ?? defaultUrl).replace(/\/$/, "");
  requireAllowedAddress(url, "write_back.url");
  const isSameSite = before?.provider === provider && new URL(before.url).origin === new URL(url).origin;
  const kept = isSameSite ? sealed_write_back_secret : null;
  const given = { from: input.from, secret: secret ?? kept };
  const missing = requires.filter((name) => given[name] === null);
  const unknown = actions.length === 3 || input.actions.note === undefined ? [] : ["actions.note"];
  if (missing.length + unknown.length > 0) {
    throw invalidFields([
      ...missing.map((path) => ({
        path: `write_back.${path}`,
        location: "body" as const,
        code: "required",
        message: `is required with the provider ${provider}`,
      })),
      ...unknown.map((path) => ({
        path: `write_back.${path}`,
        location: "body" as const,
        code: "unsupported",
        message: `is not possible with the provider ${provider}`,
      })),
    ]);
  }
  const sealed =
    secret === undefined ? kept : encrypt((await loadAppSecrets()).current, purposeOf(channel, provider, url), secret);
  return {
    write_back: { ...input, url, has_secret: sealed !== null, set_by: userId },
    sealed_write_back_secret: sealed,
  };
}

/** Returns the decrypted secret for updates of a channel; empty if it has none. */
export async function openWriteBackSecret(channel: StoredWebhookChannel): Promise<string> {
  const { write_back, sealed_write_back_secret: sealed } = channel;
  if (!write_back || sealed === null) return "";
  const { all } = await loadAppSecrets();
  const purpose = purposeOf(channel, write_back.provider, write_back.url);
  const secret = verifyWithAny(all, (appSecret) => decrypt(appSecret, purpose, sealed));
  if (secret === null) throw new Error("secret of the write-back cannot be decrypted");
  return secret;
}
