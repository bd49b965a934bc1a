import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { invalidField } from "../lib/errors.ts";
import type { EnteredCredentials } from "../messengers/workspace-store.ts";
import { fetchToken, TeamsError } from "./connector.ts";
import type { StoredTeamsWorkspace } from "./workspace-store.ts";

const purposeOf = ({ tenantId }: TenantScope, id: string) => `teams:${tenantId}:${id}:secret`;

/**
 * Verifies the credentials of an app with Microsoft, and encrypts its secret.
 * @returns the attributes of the workspace to store; none if no app was entered
 * @throws ServiceError `validation_failed` if Microsoft refuses the secret
 */
export async function sealApp(
  scope: TenantScope,
  workspaceId: string,
  { app }: EnteredCredentials,
): Promise<Partial<StoredTeamsWorkspace>> {
  if (!app) return {};
  const { id: app_id, tenant_id: app_tenant_id, secret } = app;
  try {
    await fetchToken({ app_id, app_tenant_id, secret });
  } catch (error) {
    if (!(error instanceof TeamsError)) throw error;
    const message = `was refused by Microsoft (${error.code})`;
    throw invalidField("app.secret", "refused", message);
  }
  const sealed_secret = encrypt((await loadAppSecrets()).current, purposeOf(scope, workspaceId), secret);
  return { app_id, app_tenant_id, sealed_secret, error: null };
}

/**
 * Returns the decrypted client secret of a workspace. Null if there is none, or if it must be entered again because its
 * encryption secret was removed.
 */
export async function openSecret(
  scope: TenantScope,
  { id, sealed_secret }: StoredTeamsWorkspace,
): Promise<string | null> {
  if (sealed_secret === null) return null;
  const { all } = await loadAppSecrets();
  return verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(scope, id), sealed_secret)) ?? null;
}
