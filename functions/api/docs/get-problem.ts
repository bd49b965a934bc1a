import { getProblemRoute } from "#shared/api/platform/docs.ts";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { parseProblemCode, problemPage } from "#shared/http/errors/problem-page.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { htmlReply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getProblemRoute, async ({ params, headers }) => {
  const code = parseProblemCode(params.code);
  if (!code) throw notFound();
  const mediaType = negotiateMediaType(headers, ["text/html", "application/json"]);
  return mediaType === "text/html" ? htmlReply(problemPage(code)) : { code, ...problemCodes[code] };
});
