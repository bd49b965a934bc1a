/**
 * Security headers of every response. HTML pages replace the content security policy by `pageSecurityPolicy` of
 * `lib/html-page.ts`. CloudFront adds the headers of the console and the documentation, which
 * `infra/constructs/static-site.ts` defines.
 */
export const securityHeaders = {
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;
