import { getProblem } from "#shared/api/docs.ts";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { problemCodeOf, problemPage } from "#shared/domain/problem-page.ts";
import { notFound } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { preferredType } from "#shared/http/preferred-type.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(getProblem, async ({ params, headers }) => {
  const code = problemCodeOf(params.code);
  if (!code) throw notFound();
  const wanted = preferredType(headers, ["text/html", "application/json"]);
  return wanted === "text/html" ? pageReply(problemPage(code)) : { code, ...problemCodes[code] };
});
