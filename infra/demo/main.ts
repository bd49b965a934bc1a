/** Sidecar of `npm start`: a demo shop on a separate origin that embeds the chat widget as a customer's site does. */
import { getToolSetting } from "../../shared/lib/env.ts";
import { ensureDemoKey } from "./demo-key.ts";
import { startShop } from "./shop.ts";

const baseUrl = getToolSetting("BASE_URL") ?? "http://127.0.0.1:8787";
const stateDir = getToolSetting("STATE_DIR") ?? ".state";
const servicePort = Number(new URL(baseUrl).port);

// The local runner closes stdin when it exits.
process.stdin.resume().on("close", () => process.exit(0));

try {
  const shop = await startShop(Number(getToolSetting("DEMO_PORT") || servicePort + 1), baseUrl);
  shop.embedKey = await ensureDemoKey({ baseUrl, stateDir, port: shop.port });
  console.log(`Demo: a shop with the chat widget on http://127.0.0.1:${shop.port}`);
} catch (error) {
  console.error(`The demo page could not be started: ${error instanceof Error ? error.message : error}`);
  process.exit(0);
}
