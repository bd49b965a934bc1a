import { refuseChatStream } from "#shared/api/legacy.ts";
import { gone } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(refuseChatStream, async () => {
  throw gone(refuseChatStream.description);
});
