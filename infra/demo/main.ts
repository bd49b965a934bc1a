/** Beside `npm start`: a shop on an origin of its own that embeds the chat widget as a customer's site does. */
import { toolSetting } from "../../shared/lib/env.ts";
import { demoKey } from "./demo-key.ts";
import { startShop } from "./shop.ts";

const baseUrl = toolSetting("BASE_URL") ?? "http://127.0.0.1:8787";
const stateDir = toolSetting("STATE_DIR") ?? ".state";
const servicePort = Number(new URL(baseUrl).port);

// Whoever started this has gone.
process.stdin.resume().on("close", () => process.exit(0));

try {
  const shop = await startShop(Number(toolSetting("DEMO_PORT") || servicePort + 1), baseUrl);
  shop.embedKey = await demoKey({ baseUrl, stateDir, port: shop.port });
  console.log(`Demo: a shop with the chat widget on http://127.0.0.1:${shop.port}`);
} catch (error) {
  console.error(`There is no demo page: ${error instanceof Error ? error.message : error}`);
  process.exit(0);
}
