import { env } from "../lib/env.ts";

/** The deployment's secret: keys are made with it, and it lies outside the table. */
export function appSecret(): string {
  return env("APP_SECRET").APP_SECRET;
}
