/**
 * Preloaded by `npm start`: starts the demo model if no model is configured, so that the first chat needs no account. The service
 * connects to it as to any OpenAI-compatible provider.
 */
import { getToolSetting } from "../../../shared/lib/env.ts";
import { DEMO_MODEL } from "../../../shared/models/has-language-model.ts";
import { startModelServer } from "./server.ts";

if (!["MODEL_PROVIDER", "MODEL_BASE_URL", "MODELS"].some(getToolSetting)) {
  const baseUrl = await startModelServer();
  process.env.MODELS = JSON.stringify({
    providers: { [DEMO_MODEL]: { type: "openai-compatible", base_url: baseUrl } },
    models: { [DEMO_MODEL]: { provider: DEMO_MODEL, prices: [{ input: 0, output: 0 }] } },
    tiers: { default: DEMO_MODEL },
  });
}
