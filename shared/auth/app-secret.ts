import { env } from "../lib/env.ts";

/** Returns the secret of the deployment, from which keys and tokens are derived. It is not stored in the table. */
export function appSecret(): string {
  return env("APP_SECRET").APP_SECRET;
}
