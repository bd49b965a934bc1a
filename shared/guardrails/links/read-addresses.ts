import { decodeString } from "micromark-util-decode-string";

const OWN_HOST = "page.invalid";

/**
 * URLs of pages on which a client may show an answer. `https:/host` is a relative URL on the first and leads to `host`
 * on the second.
 */
const bases = [`https://${OWN_HOST}/chat/page`, `http://${OWN_HOST}/chat/page`];

/** Matches numeric character references without a semicolon, which HTML accepts. */
const openReference = /&#(x[\da-f]{1,6}(?![\da-f;])|\d{1,7}(?![\d;]))/gi;

/**
 * Returns the URLs that clients may read from the destination of a link or image by WHATWG's URL standard: with and
 * without decoding HTML character references and Markdown escapes, on pages with http and https. URLs on the page's own
 * host are left out, so the result is empty for relative destinations and for texts that are no URL.
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

/** Matches a full URL up to the end of its host. Host names have at most 253 characters. */
const fullAddress =
  /(?:\b(?:https?|ftp|wss?):\/\/(?:[^\s/?#@<>"']{1,100}@)?|\bwww\.)[^\s/?#@<>"'`()[\]{}\\,;]{1,253}/giu;

/**
 * Returns the hosts of the full URLs in a text, with and without `www.`. A host name without a scheme does not count,
 * because `main.py` and `README.md` are both file names and valid host names.
 */
export function findAddressedHosts(text: string): Set<string> {
  const hosts = Array.from(text.matchAll(fullAddress), ([address]) =>
    URL.parse(/^www\./i.test(address) ? `https://${address}` : address)?.hostname.replace(/\.$/, ""),
  );
  return new Set(hosts.flatMap((host) => (host?.includes(".") ? [host, host.replace(/^www\./, "")] : [])));
}
