import { env } from "../lib/env.ts";
import { getLoadedSecret, loadSecret } from "../lib/secrets.ts";
import { findTable, type Provider } from "./model-table.ts";

/** Returns the setting with a provider's API key. Only functions whose code contains this one have the keys. */
const findKeySetting = ({ name }: Provider): string =>
  name === null ? env("MODEL_API_KEY").MODEL_API_KEY : (findTable()?.providers[name]?.api_key ?? "");

/** Returns the API key of a provider; empty if it has none. */
export const loadProviderKey = (provider: Provider): Promise<string> => loadSecret(findKeySetting(provider));

/** Returns the API key of a provider if `loadProviderKey` has read it; empty otherwise. */
export const getLoadedProviderKey = (provider: Provider): string => getLoadedSecret(findKeySetting(provider));
