import { getOpenapiRoute, getProblemRoute } from "#shared/api/platform/docs.ts";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { parseProblemCode, problemPage } from "#shared/http/errors/problem-page.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { htmlReply, textReply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";
import { openapiJson } from "#shared/openapi/rendered-document.ts";

export const getOpenapiHandler = endpoint(getOpenapiRoute, async () => textReply(200, "application/json", openapiJson));

export const getProblemHandler = endpoint(getProblemRoute, async ({ params, headers }) => {
  const code = parseProblemCode(params.code);
  if (!code) throw notFound();
  const mediaType = negotiateMediaType(headers, ["text/html", "application/json"]);
  return mediaType === "text/html" ? htmlReply(problemPage(code)) : { code, ...problemCodes[code] };
});
