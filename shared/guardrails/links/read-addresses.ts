import { decodeString } from "micromark-util-decode-string";

const OWN_HOST = "page.invalid";

/** Pages on which a client shows an answer. `https:/host` is relative on the first and leads to `host` on the second. */
const bases = [`https://${OWN_HOST}/chat/page`, `http://${OWN_HOST}/chat/page`];

/** Numeric character references that HTML accepts without a semicolon. */
const openReference = /&#(x[\da-f]{1,6}(?![\da-f;])|\d{1,7}(?![\d;]))/gi;

/**
 * Returns the addresses that clients may read from the destination of a link or image, by the URL standard of WHATWG:
 * with and without the character references of HTML and the escapes of Markdown, on pages of both schemes. Addresses on
 * the page's own host are left out, so the result is empty for relative destinations and those that are no URL.
 */
export function readAddresses(destination: string): URL[] {
  const references = destination.replace(openReference, "&#$1;");
  const readings = new Set([
    destination,
    decodeString(references.replaceAll("\\", "\\\\")),
    decodeString(references),
    ...(/^www\./i.test(destination) ? [`https://${destination}`] : []),
  ]);
  const addresses = new Map<string, URL>();
  for (const reading of readings) {
    for (const base of bases) {
      const address = URL.parse(reading, base);
      if (address && address.hostname !== OWN_HOST) addresses.set(address.href, address);
    }
  }
  return [...addresses.values()];
}

/** Matches the start of a full address up to the end of its host. Host names have at most 253 characters. */
const fullAddress =
  /(?:\b(?:https?|ftp|wss?):\/\/(?:[^\s/?#@<>"']{1,100}@)?|\bwww\.)[^\s/?#@<>"'`()[\]{}\\,;]{1,253}/giu;

/**
 * Returns the hosts of the full addresses in a text, with and without `www.`. A host name alone does not count: `main.py`
 * and `README.md` are names of files and of hosts.
 */
export function findAddressedHosts(text: string): Set<string> {
  const hosts = Array.from(text.matchAll(fullAddress), ([address]) =>
    URL.parse(/^www\./i.test(address) ? `https://${address}` : address)?.hostname.replace(/\.$/, ""),
  );
  return new Set(hosts.flatMap((host) => (host?.includes(".") ? [host, host.replace(/^www\./, "")] : [])));
}
