import { isProblem } from "../../../../shared/client/index.ts";
import { describeError } from "./toast.ts";

export function describeUploadError(error: unknown): string {
  return isProblem(error) || error instanceof TypeError || !(error instanceof Error)
    ? describeError(error)
    : error.message;
}

/** Sends a request with `XMLHttpRequest`, because `fetch` does not report the progress of an upload. */
export function sendWithProgress(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: FormData | Blob,
  onProgress: (part: number) => void,
  signal?: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) {
      // Browsers set the length themselves and refuse it from scripts.
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const hasBody = request.status !== 204 && request.status !== 304;
      resolve(new Response(hasBody ? request.responseText : null, { status: request.status || 500 }));
    };
    request.onerror = () => reject(new TypeError("The connection was lost."));
    signal?.addEventListener("abort", () => {
      request.abort();
      reject(signal.reason);
    });
    request.send(body);
  });
}
