/**
 * Service worker of the console. It keeps the pages and the conversations that were read last, and shows them while the service
 * cannot be reached. What the service answers always comes first.
 * @see https://www.w3.org/TR/service-workers/
 */
import { DATA_CACHE, FILE_CACHE, type KeptFiles } from "./kept-data.ts";

/** Event of a service worker, as far as it is used here: the types of browsers' pages have none. */
interface WorkerEvent extends Event {
  readonly request: Request;
  readonly data: unknown;
  respondWith(response: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}
declare const self: { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } };

const on = (type: string, handle: (event: WorkerEvent) => void) =>
  addEventListener(type, (event) => handle(event as WorkerEvent));

/** Page that serves all views of the console. */
const PAGE = "/console/";
const pagePaths = /^\/(?:console(?:\/.*)?)?$/;
const currentFiles = /^\/(?:favicon\.svg|console\/(?:config|manifest)\.json)$/;

/** Requests of the first view, and of a conversation with its messages. */
const dataPaths =
  /^\/v1\/(?:receptor|conversations(?:\/[^/]+(?:\/messages)?)?|folders|personas|models|memories|approvals)$/;
const conversationPath = /^\/v1\/conversations\/[^/]+$/;

/** Most answers and files that are kept, and the age in ms from which an answer is not shown. */
const [MAX_ANSWERS, MAX_FILES, MAX_AGE_MS] = [300, 200, 7 * 86_400_000] as const;

/** Returns whose data a request reads, so that users of one browser do not see each other's; null for a token that does not tell. */
function findOwner(headers: Headers): string | null {
  const token = headers.get("authorization");
  if (token === null) return headers.get("x-user-id") ?? "";
  try {
    const [, payload = ""] = token.split(".");
    const { iss, sub } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return `${iss} ${sub}`;
  } catch {
    return null;
  }
}

/** Returns the name of an answer in the cache. */
function dataKey(url: URL, owner: string): string {
  const key = new URL(url);
  key.searchParams.set("owner", owner);
  return key.href;
}

/** Keeps an answer, and removes the oldest ones beyond a number. */
async function keep(cacheName: string, key: string, response: Response, max: number): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.put(key, response);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - max)).map((each) => cache.delete(each)));
}

/** Keeps data, but nothing of a temporary conversation: neither it nor its messages, which can arrive earlier or later. */
async function keepData(key: string, response: Response): Promise<void> {
  const cache = await caches.open(DATA_CACHE);
  if (!response.ok) {
    // The user may no longer read it.
    if (response.status < 500 && response.status !== 429) await cache.delete(key);
    return;
  }
  const { pathname, searchParams } = new URL(key);
  if (!pathname.startsWith("/v1/conversations/")) return keep(DATA_CACHE, key, response, MAX_ANSWERS);
  const ofConversation = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(`${pathname}/`));
  if (conversationPath.test(pathname) && (await response.clone().json()).temporary) {
    await Promise.all(ofConversation.map((each) => cache.delete(each)));
    return keep(DATA_CACHE, key, Response.json({ temporary: true }), MAX_ANSWERS);
  }
  const details = dataKey(new URL(pathname.replace(/\/messages$/, ""), key), searchParams.get("owner") ?? "");
  const known = pathname.endsWith("/messages") ? await cache.match(details) : undefined;
  if (known && (await known.json()).temporary) return;
  await keep(DATA_CACHE, key, response, MAX_ANSWERS);
}

/** Returns the answer of the service, or the kept one if there is no connection. */
async function networkFirst(
  event: WorkerEvent,
  cacheName: string,
  key: string,
  store: (copy: Response) => Promise<void>,
): Promise<Response> {
  try {
    const response = await fetch(event.request);
    event.waitUntil(store(response.clone()));
    return response;
  } catch (error) {
    const kept = await (await caches.open(cacheName)).match(key);
    const isOld = cacheName === DATA_CACHE && Date.now() - Date.parse(kept?.headers.get("date") ?? "") > MAX_AGE_MS;
    if (kept && !isOld) return kept;
    throw error;
  }
}

/** Returns an asset, whose name changes with its content. */
async function cacheFirst(event: WorkerEvent, key: string): Promise<Response> {
  const kept = await (await caches.open(FILE_CACHE)).match(key);
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok) event.waitUntil(keep(FILE_CACHE, key, response.clone(), MAX_FILES));
  return response;
}

on("install", (event) => event.waitUntil(self.skipWaiting()));
on("activate", (event) => event.waitUntil(self.clients.claim()));

// The page was loaded before this worker, so it names the files that it consists of.
on("message", (event) => {
  const { files } = event.data as KeptFiles;
  event.waitUntil(caches.open(FILE_CACHE).then((cache) => cache.addAll([PAGE, ...files])));
});

on("fetch", (event) => {
  const { method, mode, url: address, headers } = event.request;
  const url = new URL(address);
  if (method !== "GET" || url.origin !== location.origin) return;
  const keepFile = (key: string) => async (copy: Response) => {
    if (copy.ok) await keep(FILE_CACHE, key, copy, MAX_FILES);
  };
  if (mode === "navigate" && pagePaths.test(url.pathname)) {
    event.respondWith(networkFirst(event, FILE_CACHE, PAGE, keepFile(PAGE)));
  } else if (currentFiles.test(url.pathname)) {
    event.respondWith(networkFirst(event, FILE_CACHE, url.pathname, keepFile(url.pathname)));
  } else if (url.pathname.startsWith("/assets/")) event.respondWith(cacheFirst(event, url.pathname));
  else if (dataPaths.test(url.pathname)) {
    const owner = findOwner(headers);
    if (owner === null) return;
    const key = dataKey(url, owner);
    event.respondWith(networkFirst(event, DATA_CACHE, key, (copy) => keepData(key, copy)));
  }
});
