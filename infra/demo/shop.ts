import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { shopPage, shopStyle } from "./shop-page.ts";

/** Running web server of the demo shop. */
interface Shop {
  readonly port: number;
  /** Embed key in the page's script tag. */
  embedKey: string;
}

/**
 * Strictest content security policy with which the widget works: no inline scripts or styles, and no other origin than the
 * widget's.
 */
const contentSecurityPolicy = (baseUrl: string) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${baseUrl}`,
    `connect-src ${baseUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });

/** Starts the shop. Uses a free port if `port` is in use. */
export async function startShop(port: number, baseUrl: string): Promise<Shop> {
  const shop = { port, embedKey: "" };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop.example");
    if (pathname === "/style.css") response.writeHead(200, { "content-type": "text/css" }).end(shopStyle);
    else if (pathname !== "/") response.writeHead(404).end();
    else {
      const html = shopPage({ baseUrl, embedKey: shop.embedKey, language: searchParams.get("lang") ?? "en" });
      response
        .writeHead(200, {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": contentSecurityPolicy(baseUrl),
        })
        .end(html);
    }
  });
  await listen(server, port > 65_535 ? 0 : port).catch(() => listen(server, 0));
  shop.port = (server.address() as AddressInfo).port;
  return shop;
}
