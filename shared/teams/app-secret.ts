import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { invalidField } from "../lib/errors.ts";
import { fetchToken, TeamsError } from "./connector.ts";
import type { StoredWorkspace } from "./workspace-store.ts";

const purposeOf = ({ tenantId }: TenantScope, id: string) => `teams:${tenantId}:${id}:secret`;

/** App as a request sets it. */
interface EnteredApp {
  readonly id: string;
  readonly tenant_id: string | null;
  readonly secret: string;
}

/**
 * Verifies an app with Microsoft, and encrypts its secret. @returns the changes of the workspace
 * @throws ServiceError `validation_failed` if Microsoft refuses the secret
 */
export async function sealApp(
  scope: TenantScope,
  workspaceId: string,
  { id: app_id, tenant_id: app_tenant_id, secret }: EnteredApp,
): Promise<Partial<StoredWorkspace>> {
  try {
    await fetchToken({ app_id, app_tenant_id, secret });
  } catch (error) {
    if (!(error instanceof TeamsError)) throw error;
    const message = `was refused by Microsoft (${error.code})`;
    throw invalidField({ path: "app.secret", location: "body", code: "refused", message });
  }
  const sealed_secret = encrypt((await loadAppSecrets()).current, purposeOf(scope, workspaceId), secret);
  return { app_id, app_tenant_id, sealed_secret, error: null };
}

/** Returns the client secret of a workspace, or null if it has to be entered again. */
export async function openSecret(scope: TenantScope, { id, sealed_secret }: StoredWorkspace): Promise<string | null> {
  if (sealed_secret === null) return null;
  const { all } = await loadAppSecrets();
  return verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(scope, id), sealed_secret)) ?? null;
}
