import { type ProviderResponse, readText } from "../../lib/outgoing/post-to-provider.ts";

/**
 * Error for a provider's response without an answer. It has the fields of the AI SDK's `APICallError`, so that both are
 * handled alike.
 */
class HttpFailure extends Error {
  override name = "HttpFailure";
  readonly statusCode: number;
  readonly responseBody: string;
  readonly responseHeaders: ProviderResponse["headers"];
  constructor({ status, headers }: ProviderResponse, body: string) {
    super(`The provider responded with status ${status}`);
    this.statusCode = status;
    this.responseBody = body;
    this.responseHeaders = headers;
  }
}

/**
 * Returns the response if it has an answer.
 * @throws HttpFailure for any other response, such as an error, a redirect or an empty one
 */
export async function requireAnswer(response: ProviderResponse): Promise<ProviderResponse> {
  const { status } = response;
  if (status >= 200 && status < 300 && status !== 204 && status !== 205) return response;
  throw new HttpFailure(response, await readText(response));
}
