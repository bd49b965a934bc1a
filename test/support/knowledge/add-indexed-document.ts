import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client.ts";

/** Adds a document to the given collection, or to a new one, and waits until it is indexed. */
export async function addIndexedDocument(
  client: Client,
  document: { readonly title: string; readonly text: string; readonly media_type?: string },
  collectionId?: string,
): Promise<{ collection: string; document: string }> {
  const collection =
    collectionId ??
    (await client.post("/v1/knowledge/collections", { name: `Collection for ${document.title}`, readers: ["tenant"] }))
      .body.id;
  const path = `/v1/knowledge/collections/${collection}/documents`;
  const { body } = await client.post(path, document);
  for (let attempt = 0; attempt < 200; attempt++) {
    if ((await client.get(`${path}/${body.id}`)).body.status === "ready") return { collection, document: body.id };
    await sleep(100);
  }
  throw new Error("Document not indexed within 20 s");
}
