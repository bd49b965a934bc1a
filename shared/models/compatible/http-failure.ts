import type { IncomingMessage } from "node:http";

/** Response of a provider with an error status. Has the fields of the AI SDK's `APICallError`. */
export class HttpFailure extends Error {
  override name = "HttpFailure";
  readonly statusCode: number;
  readonly responseBody: string;
  readonly responseHeaders: IncomingMessage["headers"];
  constructor(response: IncomingMessage, body: string) {
    super(`The provider responded with status ${response.statusCode}`);
    this.statusCode = response.statusCode ?? 0;
    this.responseBody = body;
    this.responseHeaders = response.headers;
  }
}
