import { api } from "../session/session.ts";
import { showError } from "./toast.ts";

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Path of the next page in a header `Link` (RFC 8288). */
const toNextPage = (link: string | null) => /^<([^>]*)>; rel="next"$/.exec(link ?? "")?.[1];

/** Saves a report or all pages of a list as one CSV file. */
export async function saveCsv(name: string, path: string): Promise<void> {
  try {
    const parts: Blob[] = [];
    for (let next: string | undefined = path; next; ) {
      const response = await api.fetch(next, { headers: { accept: "text/csv" } });
      parts.push(await response.blob());
      next = toNextPage(response.headers.get("link"));
    }
    saveFile(name, new Blob(parts, { type: "text/csv" }));
  } catch (error) {
    showError(error);
  }
}
