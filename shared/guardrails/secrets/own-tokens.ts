import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { measureLogin, measureWebhook } from "./looks-secret.ts";

/** Formats of secrets that are recognized by their structure and not by a prefix. */
export const structures: readonly Omit<SensitiveFormat, "category" | "score">[] = [
  {
    kind: "private key",
    pattern:
      /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,>|"'-]{0,8000}?-----END (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|[\s\\nr>|"']{0,8}[A-Za-z0-9+/=]{32,}[A-Za-z0-9+/=\s\\:,>|]*)/,
  },
  {
    kind: "private key",
    pattern: /(?<=PuTTY-User-Key-File-[23]:)[\w\s:+/=.@,-]{40,8000}?Private-(?:MAC|Hash): [\da-f]{40,64}/,
  },
  { kind: "user and password", pattern: /(?<=jdbc:oracle:thin:)[\w$#]{1,30}\/[^\s@"']{3,100}(?=@)/ },
  {
    kind: "webhook address",
    pattern:
      /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{20,}|(?<=discord(?:app)?\.com\/api\/webhooks\/)\d{15,20}\/[\w-]{40,}|(?<=\.webhook\.office\.com\/)[\w@/-]{30,}/,
    measure: measureWebhook,
  },
  {
    kind: "user and password",
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:@/"'<>]{0,100}:[^\s:@/"'<>]{3,200}(?=@[^\s/"'<>]{2})/i,
    measure: measureLogin,
  },
  // A hyphen before a token could be one within a token: without these lookbehinds, repeated beginnings take quadratic time.
  { kind: "token", pattern: /\be(?<!-e)yJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/ },
  // A JSON Web Token that was encoded in base64 once more, as in a Kubernetes secret.
  { kind: "token", pattern: /(?<![\w+/=-])ZXlK[\w+/-]{20,}={0,2}/ },
];

/**
 * Formats of tokens that the generated table (`vendor-tokens.ts`) lacks or describes too narrowly: whole token families
 * of a vendor, and vendors without a rule there. Prefixes and lengths are from the vendors' documentation.
 */
export const ownTokens: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["Google OAuth secret", /\bGOCSPX-[\w-]{28}(?![\w-])/],
  ["Google token", /\bya29\.[\w-]{20,}/],
  ["OpenAI API key", /\bsk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}/],
  ["GitHub token", /\bgh[pousr]_[A-Za-z0-9]{36,}/],
  ["GitHub token", /\bgithub_pat_[A-Za-z0-9_]{22,}/],
  ["GitHub token", /\bg(?<!-g)hs_\d{1,20}_eyJ[\w-]+\.[\w-]+\.[\w-]+/],
  ["GitLab token", /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct|oas)-[\w-]{20,64}/],
  ["GitLab token", /\bGR1348941[\w-]{20}/],
  ["Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  ["Vercel token", /\bvc[apikr]_[A-Za-z0-9]{20,60}\b/],
  ["Cloudflare token", /\bcf(?:k|ut|at)_[A-Za-z0-9]{40,60}\b/],
  ["Shopify token", /\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,64}\b/],
  ["Stripe key", /\b(?:sk|rk|pk)_(?:live|prod|test)_[A-Za-z0-9]{16,}/],
  ["Stripe key", /\bwhsec_[A-Za-z0-9+/]{24,64}/],
  ["SendGrid key", /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/],
  ["Twilio key", /\b(?:SK|AC)[0-9a-f]{32}\b/],
  ["Mailchimp key", /\b[0-9a-f]{32}-us\d{1,2}\b/],
  ["PyPI token", /\bpypi-AgE[\w-]{50,}/],
  ["Hugging Face token", /\bhf_[A-Za-z0-9]{30,64}\b/],
  ["Square token", /\bsq0(?:atp|csp|idp)-[\w-]{22,43}/],
  ["Telegram token", /\b\d{5,16}:A[\w-]{34}(?![\w-])/],
  ["Discord token", /\b[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/],
  ["Facebook token", /\bEAA[A-Za-z0-9]{60,}\b/],
  ["Azure key", /\bAccountKey=[A-Za-z0-9+/]{40,90}={0,2}/],
  ["Azure key", /\bSharedAccessKey=[A-Za-z0-9+/]{40,90}={0,2}/],
  ["Azure key", /(?<=[?&]sig=)[A-Za-z0-9%]{40,90}/],
  ["Azure secret", /(?<=[\w~.]{3})\dQ~[\w~.-]{31,34}(?![\w~.-])/],
  ["Vault token", /\bhv[sbr]\.[\w-]{24,}/],
  ["Linear key", /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}/],
  ["Grafana token", /\bgl(?:c|sa)_[A-Za-z0-9_+/=]{32,}/],
  ["Atlassian token", /\bATATT3[\w=-]{60,}/],
  ["Doppler token", /\bdp\.(?:pt|st|ct|sa|scim)\.[\w.-]{40,90}/],
  ["Fly.io token", /\bfo1_[\w-]{43}(?![\w-])/],
  ["Fly.io token", /\bfm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}/],
  ["Fly.io token", /\bFlyV1 [\w=,/+-]{40,}/],
  ["Sentry token", /\bsntrys_eyJ[\w+/=-]{80,}/],
  ["Harness token", /\b[ps]at\.[\w-]{22}\.[\w-]{24}\.[\w-]{20}(?![\w-])/],
  ["Switchboard key", /\bsw[ke]_[a-z0-9-]{1,63}_[0-9a-f]{32}\b/],
  ["Tavily key", /\btvly-[A-Za-z0-9-]{28,60}/],
  ["Amazon Bedrock key", /\bABSK[A-Za-z0-9+/]{80,}={0,2}/],
  ["Amazon Bedrock key", /\bbedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}/],
  ["Alibaba key", /\bLTAI[A-Za-z0-9]{16,24}\b/],
  ["Yandex key", /\by[0-3]_[\w-]{55,60}(?![\w-])/],
  ["Figma token", /\bfig(?:d|o|oh|u|ur)_[\w-]{36,64}/],
  ["Notion token", /\bntn_[A-Za-z0-9]{40,50}\b/],
  ["HubSpot token", /\bpat-(?:na|eu|ap)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  ["LaunchDarkly key", /\b(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  ["Trello token", /\bATTA[0-9a-f]{64,80}\b/],
  ["Bitbucket token", /\bATBB[A-Za-z0-9]{32}\b/],
  ["Bitbucket token", /\bATCTT3[\w=-]{60,}/],
  ["Dropbox token", /\bsl\.(?:u\.)?[\w-]{100,}/],
  ["Contentful token", /\bCFPAT-[\w-]{43}(?![\w-])/],
  ["NuGet key", /\boy2[a-z0-9]{43}\b/],
  ["SonarQube token", /\bsq[apu]_[0-9a-f]{40}\b/],
  ["Buildkite token", /\bbk(?:ua|ct|aj|pt)_[A-Za-z0-9]{32,64}\b/],
  ["CircleCI token", /\bCCI(?:PAT|PRJ)_[A-Za-z0-9]{16,30}_[0-9a-f]{40}\b/],
  ["Netlify token", /\bnf[bcopu]_[A-Za-z0-9]{36,60}\b/],
  ["Heroku key", /\bHRKU-[\w-]{40,70}/],
  ["Terraform token", /\batlasv1\.[\w=-]{60,70}/],
  ["Tailscale key", /\btskey-[a-z]{3,10}-[A-Za-z0-9-]{20,80}/],
  ["Dynatrace token", /\bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/],
  ["Resend key", /\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}\b/],
  ["Razorpay key", /\brzp_(?:live|test)_[A-Za-z0-9]{14}\b/],
  ["Braintree token", /\baccess_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b/],
  ["Mapbox token", /\bsk\.eyJ[\w-]{20,}\.[\w-]{20,}/],
  ["1Password token", /\bops_eyJ[A-Za-z0-9+/]{200,}={0,3}/],
];
