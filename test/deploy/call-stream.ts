/**
 * Sends a request without a credential to the code of a streaming function and prints the status of its response.
 * `node test/deploy/call-stream.ts <directory of the code> <origin secret of the request>`
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { Writable } from "node:stream";

const [directory = "", originSecret = ""] = process.argv.slice(2);
let status = 0;
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (stream: Writable, { statusCode }: { statusCode: number }) => {
        status = statusCode;
        return stream;
      },
    },
  },
});
const { handler } = createRequire(import.meta.url)(join(directory, "index.cjs"));
const event = {
  version: "2.0",
  rawPath: "/v1/runtime/chat",
  rawQueryString: "",
  headers: { "content-type": "application/json", "x-origin-secret": originSecret },
  requestContext: { requestId: "r", http: { method: "POST", path: "/v1/runtime/chat", sourceIp: "192.0.2.1" } },
  body: "{}",
  isBase64Encoded: false,
};
const context = { awsRequestId: "r", functionName: "start-chat", getRemainingTimeInMillis: () => 30_000 };
const body = new Writable({ write: (_chunk, _encoding, done) => done() });
await handler(event, body, context);
console.log(status);
process.exit(0);
