import { expect, it } from "vitest";
import { renderSharedPage } from "#shared/conversations/sharing/shared-page.ts";

const at = "2026-11-26T08:00:00.000Z";

const render = (...content: Parameters<typeof renderSharedPage>[0]["messages"][number]["content"]) =>
  renderSharedPage({
    ...{ title: "Shared", shared_at: at, expires_at: at, next_cursor: null },
    messages: [{ role: "assistant", model: null, content, created_at: at }],
  });

it("shared page shows formulas with their whole source", () => {
  const html = render({ type: "text", text: "It is \\(\\frac{1}{2} < 1\\) and\n\n$$\na_1 *b* c\n$$" });
  expect(html).toContain("<code>\\(\\frac{1}{2} &lt; 1\\)</code>");
  expect(html).toContain("a_1 *b* c");
  expect(html).not.toContain("<em>");
});

it("shared page renders the text of table cells without paragraph elements", () => {
  const html = render({ type: "table", columns: ["**a**"], rows: [["[b](https://example.com)"]] });
  expect(html).toContain('<th scope="col"><strong>a</strong></th>');
  expect(html).toContain(
    '<td><a href="https://example.com" target="_blank" rel="noopener noreferrer nofollow ugc">b</a></td>',
  );
});
