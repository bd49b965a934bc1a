import { getProblem } from "#shared/api/platform/docs.ts";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { problemCodeOf, problemPage } from "#shared/http/errors/problem-page.ts";
import { preferredType } from "#shared/http/preferred-type.ts";
import { pageReply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getProblem, async ({ params, headers }) => {
  const code = problemCodeOf(params.code);
  if (!code) throw notFound();
  const wanted = preferredType(headers, ["text/html", "application/json"]);
  return wanted === "text/html" ? pageReply(problemPage(code)) : { code, ...problemCodes[code] };
});
