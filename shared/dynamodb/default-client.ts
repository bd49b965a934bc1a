/** The client that tables are opened with. The bundler replaces it per entry point (`infra/bundle/bundle.ts`). */
export { leanClient as defaultClient } from "./lean-client.ts";
