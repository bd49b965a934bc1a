import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { routes } from "#shared/api/routes.ts";
import { docsPage } from "#shared/openapi/docs-page.ts";
import { serviceDocument } from "#shared/openapi/service-document.ts";

describe("the OpenAPI document", () => {
  it("is a valid one", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(serviceDocument)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it("is the one in the repository: `npm run openapi` brings that up to date", () => {
    expect(JSON.parse(readFileSync("openapi.json", "utf8"))).toEqual(JSON.parse(JSON.stringify(serviceDocument)));
  });

  it("has every route, with an id of its own", () => {
    const operations = Object.values(serviceDocument.paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(routes.map(({ id }) => id)));
  });

  it("refers to nothing that is not there", () => {
    const text = JSON.stringify(serviceDocument);
    const names = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name ?? ""));
    expect(names.size).toBeGreaterThan(20);
    expect(Object.keys(serviceDocument.components.schemas)).toEqual(expect.arrayContaining([...names]));
    expect(text).not.toContain("$defs");
  });

  it("says what can go wrong, in codes that exist", () => {
    for (const methods of Object.values(serviceDocument.paths)) {
      for (const { operationId, responses } of Object.values(methods)) {
        const codes = Object.entries(responses).flatMap(([status, { description }]) =>
          Number(status) < 400 ? [] : Array.from(description.matchAll(/`(\w+)`/g), ([, code]) => String(code)),
        );
        expect(codes, operationId).toEqual(expect.arrayContaining(["rate_limited", "internal_error"]));
        expect(Object.keys(problemCodes)).toEqual(expect.arrayContaining(codes));
      }
    }
  });

  it("says what an error looks like, that of a removed endpoint as well", () => {
    for (const methods of Object.values(serviceDocument.paths)) {
      for (const { operationId, responses } of Object.values(methods)) {
        for (const [status, response] of Object.entries(responses)) {
          if (Number(status) < 400) continue;
          expect("$ref" in response || "content" in response, `${operationId} ${status}`).toBe(true);
        }
      }
    }
  });
});

describe("its page", () => {
  const page = docsPage(serviceDocument);

  it("shows every operation and shape, and its links lead somewhere", () => {
    const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const { id } of routes) expect(targets).toContain(id);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(targets).toContain(target);
  });

  it("escapes what is in descriptions", () => {
    const { info } = serviceDocument;
    const hostile = docsPage({ ...serviceDocument, info: { ...info, title: "<script>", description: "<img src=x>" } });
    expect(hostile).not.toMatch(/<script>|<img/);
  });
});
