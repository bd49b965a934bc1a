import { expect, it } from "vitest";
import { describeError } from "../../../functions/web/console/lib/toast.ts";
import { ProblemError } from "../../../shared/client/problem.ts";

it("console explains a failed precondition in words that fit every kind of resource", () => {
  const error = new ProblemError(new Response(null, { status: 412 }), { code: "precondition_failed" });
  expect(describeError(error)).toBe("This was changed after you opened it. Reload the page to see the change.");
});
