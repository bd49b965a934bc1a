import { expect, it } from "vitest";
import { isAllowedByRobots, parseRobots } from "#shared/knowledge/imports/robots.ts";

const isAllowed = (text: string, path: string, agent = "SwitchboardImporter") =>
  isAllowedByRobots(parseRobots(text, agent), path);

const robots = `\ufeffUser-agent: *
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Disallow: /*/drafts/*/old$
Disallow:

User-agent: other
User-agent: switchboardimporter/1.0 # two agents share a group
Disallow: /closed
Disallow: /f\u00f6hn
Disallow: /%7Euser
sitemap: https://example.com/sitemap.xml
User-agent: *
Disallow: /later`;

it.each([
  ["/", "someone", true],
  ["/private/x", "someone", false],
  ["/private/open/x", "someone", true],
  ["/a/b.pdf", "someone", false],
  ["/a/b.pdf?x", "someone", true],
  ["/a/drafts/1/old", "someone", false],
  ["/a/drafts/old", "someone", true],
  ["/a/drafts/1/old/", "someone", true],
  ["/later", "someone", false],
  ["/later", "SwitchboardImporter", true],
  ["/private/x", "SwitchboardImporter", true],
  ["/closed/x", "SwitchboardImporter", false],
  ["/f%c3%b6hn", "SwitchboardImporter", false],
  ["/~user", "SwitchboardImporter", false],
])("robots.txt applies the rules to the path %s for the user agent %s", (path, agent, expected) => {
  expect(isAllowed(robots, path, agent)).toBe(expected);
});

it.each([
  ["a page that is no robots.txt", "<html>not found</html>", true],
  ["rules before the first group", "Disallow: /", true],
  ["an own group without rules", "User-agent: SwitchboardImporter\nDisallow:\n\nUser-agent: *\nDisallow: /", true],
  ["equally long rules", "User-agent: *\nDisallow: /x\nAllow: /x", true],
  ["a rule with many wildcards", `User-agent: *\nDisallow: /${"*x".repeat(50)}`, true],
  ["a pattern that ends before its own start", "User-agent: *\nDisallow: /x*x$", true],
])("robots.txt is read correctly with %s", (_, text, expected) => {
  expect(isAllowed(text, "/x")).toBe(expected);
});

it("robots.txt is parsed into one list of rules, however many user agents its group names", () => {
  const agents = "User-agent: *\nUser-agent: a\n".repeat(10_000);
  const rules = parseRobots(`${agents}${"Disallow: /a\n".repeat(15_000)}`, "SwitchboardImporter");
  expect(rules).toHaveLength(15_000);
});
