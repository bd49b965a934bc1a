/** Names of the browser's caches with files of the console and with answers of the service. */
export const [FILE_CACHE, DATA_CACHE] = ["switchboard-files", "switchboard-data"] as const;

/** Message to the service worker: paths of files to keep. */
export interface KeptFiles {
  readonly files: readonly string[];
}

/** Removes what the browser keeps of the data of users. */
export async function forgetKept(): Promise<void> {
  // Pages without TLS have no caches.
  if ("caches" in globalThis) await caches.delete(DATA_CACHE);
}
