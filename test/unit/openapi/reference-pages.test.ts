import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderDocs } from "../../../infra/bundle/site-pages.ts";

const root = join(import.meta.dirname, "../../..");
const pages = new Map(
  renderDocs(root, { style: "/docs.css", script: "/reference.js" }).map(({ path, html }) => [path, html]),
);
const openapi = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
const operations = Object.values(
  openapi.paths as Record<string, Record<string, { operationId: string; tags: string[] }>>,
)
  .flatMap((methods) => Object.values(methods))
  .concat(
    Object.values(openapi.webhooks as Record<string, { post: { operationId: string; tags: string[] } }>).map(
      ({ post }) => post,
    ),
  );

it("API reference has a section for every operation and event, which the list links to", () => {
  const missing = operations.filter(({ operationId, tags: [group] }) => {
    const path = `/docs/reference/${group}`;
    const isListed = pages.get("/docs")?.includes(`href="${path}#${operationId}"`);
    return !isListed || !pages.get(path)?.includes(`id="${operationId}"`);
  });
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
});

it("API reference links to no section or page that does not exist", () => {
  const broken = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/href="(\/docs\/reference\/[^"#]*|\/docs)(?:#([^"]+))?"/g)].flatMap(([, target = "", anchor]) => {
      const found = pages.get(target);
      return found && (!anchor || found.includes(`id="${anchor}"`)) ? [] : [`${path}: ${target}#${anchor}`];
    }),
  );
  expect(broken).toEqual([]);
});

it("API reference escapes examples, so that none becomes an element or a part of the command", () => {
  for (const [path, html] of pages) {
    if (path.startsWith("/docs/reference/"))
      expect([path, /<script|<img(?! src="\/favicon)/.test(html)]).toEqual([path, false]);
  }
});
