import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fetchPublic } from "#shared/knowledge/imports/fetch-public.ts";
import { isPublicAddress } from "#shared/lib/outgoing/addresses.ts";

let server: Server;
let origin: string;
let requests = 0;

const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  "/page": (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello</p>"),
  "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
  "/away": (_, response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
  "/file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/port": (_, response) => response.writeHead(302, { location: "http://127.0.0.1:22/" }).end(),
  "/encoded": (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
  "/large": (_, response) => response.writeHead(200).end(Buffer.alloc(11 * 1_048_576)),
};

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++;
    const page = pages[request.url ?? ""];
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  vi.stubEnv("IMPORT_PORTS", `80,443,${port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

/** Allows the server of this test in addition to public addresses. */
const withLoopback = (address: string) => address === "127.0.0.1" || isPublicAddress(address);

it.each(["8.8.8.8", "93.184.216.34", "2606:4700::1111"])("isPublicAddress() accepts the IP address %s", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each([
  ..."127.0.0.1 0.0.0.0 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1 255.255.255.255".split(
    " ",
  ),
  ..."198.18.0.1 192.0.2.1 240.0.0.1 ::1 :: fe80::1 fc00::1 fd00:ec2::254 ff02::1 ::ffff:127.0.0.1".split(" "),
  ..."::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 2001::1 nonsense".split(" "),
])("isPublicAddress() rejects the IP address %s", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

const codeOf = (url: string, isAllowed?: (address: string) => boolean) =>
  fetchPublic(url, isAllowed && { isAllowed }).then(
    () => "fetched",
    (error: { code: string }) => error.code,
  );

it("fetchPublic(), which fetches pages of the public web, returns status, content type, URL and content of a page", async () => {
  const page = await fetchPublic(`${origin}/page`, { isAllowed: withLoopback });
  expect(page).toMatchObject({ status: 200, contentType: "text/html", url: `${origin}/page` });
  expect(page.content.toString()).toBe("<p>Hello</p>");
});

it("fetchPublic(), which fetches pages of the public web, connects to public addresses only, regardless of the notation of the address", async () => {
  const { port } = new URL(origin);
  const before = requests;
  for (const host of [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "127.1",
  ]) {
    expect(await codeOf(`http://${host}:${port}/page`)).toMatch(/^(?:address_not_allowed|unreachable)$/);
  }
  for (const url of [
    "http://169.254.169.254/",
    "ftp://example.com/",
    "http://user:pass@8.8.8.8/",
    "file:///etc/passwd",
  ]) {
    expect(await codeOf(url)).toBe("address_not_allowed");
  }
  expect(requests).toBe(before);
});

it("fetchPublic(), which fetches pages of the public web, checks the address of each redirect and limits the number of redirects and the size", async () => {
  expect(await codeOf(`${origin}/away`, withLoopback)).toBe("address_not_allowed");
  expect(await codeOf(`${origin}/file`, withLoopback)).toBe("address_not_allowed");
  expect(await codeOf(`${origin}/loop`, withLoopback)).toBe("too_many_redirects");
  expect(await codeOf(`${origin}/large`, withLoopback)).toBe("too_large");
});

it("fetchPublic(), which fetches pages of the public web, connects only to the ports of the setting IMPORT_PORTS, also after a redirect", async () => {
  expect(await codeOf("http://93.184.216.34:8080/")).toBe("port_not_allowed");
  expect(await codeOf(`${origin}/port`, withLoopback)).toBe("port_not_allowed");
});

it("fetchPublic(), which fetches pages of the public web, rejects compressed content, whose size it could not limit", async () => {
  expect(await codeOf(`${origin}/encoded`, withLoopback)).toBe("unsupported");
});

it("fetchPublic(), which fetches pages of the public web, calls the caller's permission check before each request, also after a redirect", async () => {
  const asked: string[] = [];
  const authorize = async ({ pathname }: URL) => void asked.push(pathname);
  await fetchPublic(`${origin}/port`, { isAllowed: withLoopback, authorize }).catch(() => {});
  await fetchPublic(`${origin}/loop`, { isAllowed: withLoopback, authorize }).catch(() => {});
  expect(asked).toEqual(["/port", "/", ..."/loop".repeat(6).split(/(?=\/)/)]);
});

it("fetchPublic(), which fetches pages of the public web, returns the beginning of large content when the option isTruncated is set", async () => {
  const options = { isAllowed: withLoopback, maxBytes: 1_000, isTruncated: true };
  expect((await fetchPublic(`${origin}/large`, options)).content).toHaveLength(1_000);
});
