import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client.ts";

/** Adds a document to a collection of the tenant, a fresh one unless it is named, and waits until it can be found. */
export async function indexedDocument(
  client: Client,
  document: { readonly title: string; readonly text: string },
  collectionId?: string,
): Promise<{ collection: string; document: string }> {
  const collection =
    collectionId ??
    (await client.post("/v1/knowledge/collections", { name: `Collection for ${document.title}`, visibility: "tenant" }))
      .body.id;
  const path = `/v1/knowledge/collections/${collection}/documents`;
  const { body } = await client.post(path, document);
  for (let tries = 0; tries < 200; tries++) {
    if ((await client.get(`${path}/${body.id}`)).body.status === "ready") return { collection, document: body.id };
    await sleep(100);
  }
  throw new Error("The document was never ready");
}
