import { isJsonObject, parseJson } from "../../lib/parse-json.ts";
import { isFormUrlencoded } from "./form-urlencoded.ts";

/** Fields in which tools send a JSON document in a form, such as Slack-compatible ones and Uptime Kuma. */
const documentFields = ["payload", "data"];

/** Returns the fields of a form, or the JSON object in one of them. */
function fromFields(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const fields = Object.fromEntries([...entries].filter(([name]) => name !== ""));
  const documents = documentFields.map((name) => parseJson(String(fields[name])));
  return documents.find(isJsonObject) ?? fields;
}

/** Returns the fields of a form with parts; null for a malformed one. Files are left out. */
async function readParts(rawBody: Buffer, contentType: string): Promise<Record<string, unknown> | null> {
  try {
    // The parser of Node.js, because few deliveries have this form.
    const response = new Response(new Uint8Array(rawBody), { headers: { "content-type": contentType } });
    return fromFields([...(await response.formData())].filter(([, value]) => typeof value === "string"));
  } catch {
    return null;
  }
}

/**
 * Converts a body of any form to a JSON object: the fields of a form, a list as `items`, and any other text as `text`.
 * @param text the decoded body
 */
export async function toJsonObject(
  text: string,
  { rawBody, contentType = "" }: { readonly rawBody: Buffer; readonly contentType: string | undefined },
): Promise<Record<string, unknown>> {
  const json = parseJson(text);
  if (isJsonObject(json)) return json;
  if (Array.isArray(json)) return json.length === 1 && isJsonObject(json[0]) ? json[0] : { items: json };
  if (isFormUrlencoded(contentType)) return fromFields(new URLSearchParams(text));
  const parts = /^multipart\/form-data\b/i.test(contentType) ? await readParts(rawBody, contentType) : null;
  return parts ?? { text: typeof json === "string" ? json : text };
}
