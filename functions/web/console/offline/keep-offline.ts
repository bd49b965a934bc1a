import { reloadResources } from "../lib/data.ts";
import { api, receptor } from "../session/session.ts";
import type { KeptFiles } from "./kept-data.ts";

const WORKER = "/console/worker.js";

/** The policy that the content security policy of the console requires for addresses of scripts, where browsers have it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string;
  };
}

const toScriptUrl = (url: string) => {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return (
    trustedTypes?.createPolicy("switchboard-worker", { createScriptURL: () => WORKER }).createScriptURL(url) ?? url
  );
};

/** Lets the browser keep the console and the last conversations, so that they can be read without a connection. */
export async function keepOffline(): Promise<void> {
  if (!("serviceWorker" in navigator) || !receptor.value) return;
  const isFirst = navigator.serviceWorker.controller === null;
  await navigator.serviceWorker.register(toScriptUrl(WORKER));
  if (!isFirst) return;
  const { active } = await navigator.serviceWorker.ready;
  const paths = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  const files = paths.filter((path) => path.startsWith("/assets/") || path === "/console/config.json");
  active?.postMessage({ files: [...new Set(files)] } satisfies KeptFiles);
  // The worker has not seen the data so far, so it is loaded once more.
  if (!navigator.serviceWorker.controller) {
    await new Promise((resolve) =>
      navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
    );
  }
  receptor.value = await api.GET("/v1/receptor");
  reloadResources();
}
