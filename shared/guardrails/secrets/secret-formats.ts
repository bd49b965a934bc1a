import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { measurePassword, measureStatedPassword } from "./looks-secret.ts";
import { prefixedKeys } from "./prefixed-keys.ts";

/** Vendor formats, which identify a secret by its prefix and length. */
const vendorFormats: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "private key",
    /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,-]{0,8000}?-----END (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,]*)/,
  ],
  ["AWS access key", /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/],
  ["Google API key", /\bAIza[\w-]{35}(?![\w-])/],
  ["Google OAuth secret", /\bGOCSPX-[\w-]{28}(?![\w-])/],
  ["Google token", /\bya29\.[\w-]{20,}/],
  ["OpenAI API key", /\bsk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}/],
  ["GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,255})/],
  ["GitLab token", /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct|oas)-[\w-]{20,64}|\bGR1348941[\w-]{20}/],
  ["Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{20,}/],
  [
    "webhook address",
    /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{20,}|(?<=discord(?:app)?\.com\/api\/webhooks\/)\d{15,20}\/[\w-]{40,}|(?<=\.webhook\.office\.com\/)[\w@/-]{30,}/,
  ],
  ["Stripe key", /\b(?:sk|rk|pk)_(?:live|prod|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/]{24,64}/],
  ["SendGrid key", /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/],
  ["Twilio key", /\b(?:SK|AC)[0-9a-f]{32}\b/],
  ["Mailgun key", /\bkey-[0-9a-f]{32}\b/],
  ["Mailchimp key", /\b[0-9a-f]{32}-us\d{1,2}\b/],
  ["npm token", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["PyPI token", /\bpypi-AgE[\w-]{50,}/],
  ["Docker token", /\bdckr_(?:pat|oat)_[\w-]{24,64}/],
  ["Hugging Face token", /\bhf_[A-Za-z0-9]{30,64}\b/],
  ["Databricks token", /\bdapi[0-9a-f]{32}(?:-\d)?\b/],
  ["DigitalOcean token", /\bdo[opr]_v1_[0-9a-f]{64}\b/],
  ["Shopify token", /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/],
  ["Square token", /\b(?:EAAA[\w-]{60}|sq0(?:atp|csp|idp)-[\w-]{22,43})/],
  ["Telegram token", /\b\d{5,16}:A[\w-]{34}(?![\w-])/],
  ["Discord token", /\b[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/],
  ["Facebook token", /\bEAA[A-Za-z0-9]{60,250}\b/],
  ["Azure key", /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,90}={0,2}|(?<=[?&]sig=)[A-Za-z0-9%]{40,90}/],
  ["Vault token", /\bhv[sbr]\.[\w-]{24,}/],
  ["Linear key", /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}/],
  ["New Relic key", /\bNRAK-[A-Z0-9]{27}\b/],
  ["Grafana token", /\bgl(?:c|sa)_[A-Za-z0-9_+/=]{32,}|\beyJrIjoi[A-Za-z0-9]{70,400}={0,3}/],
  ["Atlassian token", /\bATATT3[\w=-]{60,}/],
  ["Doppler token", /\bdp\.(?:pt|st|ct|sa|scim)\.[\w.-]{40,90}/],
  ["Fly.io token", /\bfo1_[\w-]{43}(?![\w-])|\bfm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}/],
  ["PlanetScale credential", /\bpscale_(?:pw|tkn|oauth)_[\w=.-]{32,64}/],
  ["Sentry token", /\bsntry(?:s_eyJ[\w+/=-]{80,}|u_[0-9a-f]{64})/],
  ["Hugging Face token", /\bapi_org_[A-Za-z]{34}\b/],
  ["EasyPost key", /\bEZ[AT]K[A-Za-z0-9]{54}\b/],
  ["Harness token", /\b[ps]at\.[\w-]{22}\.[\w-]{24}\.[\w-]{20}(?![\w-])/],
  ["Shippo token", /\bshippo_(?:live|test)_[0-9a-fA-F]{40}\b/],
  ["Cloudflare key", /\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b/],
  ["1Password key", /\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b/],
  ["Lob key", /\b(?:live|test)_(?:pub_[0-9a-f]{31}|[0-9a-f]{35})\b/],
  ["ClickHouse key", /\b4b1d[A-Za-z0-9]{38}\b/],
  ["Sourcegraph token", /\bsgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}\b/],
  ["Clojars token", /\bCLOJARS_[a-z0-9]{60}\b/i],
  ["Postman key", /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/],
  ["age key", /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/],
  ["Switchboard key", /\bsw[ke]_[a-z0-9-]{1,63}_[0-9a-f]{32}\b/],
  ["token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/],
  ["user and password", /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:@/"'<>]{0,100}:[^\s:@/"'<>]{3,200}(?=@[^\s/"'<>]{2})/i],
  // A JSON Web Token that was encoded in base64 once more, as in a Kubernetes secret.
  ["token", /(?<![\w+/=-])ZXlK[\w+/-]{20,}={0,2}/],
];

const namePartSource =
  "passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|senha|secret|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential|pwd|token";

/**
 * Parts of the names of settings and fields that contain a secret. Matches the long s and the Kelvin sign like s and k, as
 * the flag `u` does, without its cost.
 */
const nameParts = new RegExp(namePartSource.replaceAll("s", "[s\u017f]").replaceAll("k", "[k\u212a]"), "i");

/** Names of settings and fields that contain a secret. */
const names = new RegExp(`(?<![\\p{L}\\d])(?:[\\w.-]{0,40}?(?:${namePartSource})[\\w-]{0,20})`, "iu");

/**
 * Value of an assignment. The lookbehind repeats the separator, although the cue contains it too, to find candidates
 * quickly.
 */
const assignedValue = /(?<=(?:[=:,][ \t]{0,3}|>\s{0,12})["'`]?)[^\s"'`,;<>]{6,2000}/;

/** Value that follows a form of *to be* in a sentence. */
const statedValue = /(?<=(?:is|ist|es|est|é|:)[ \t]{1,3}["'`]?)[^\s"'`,;<>]{6,2000}/i;

/** Formats that are recognized only by the words before them, such as `password=`. */
const announcedFormats: readonly Omit<SensitiveFormat, "category">[] = [
  {
    kind: "secret",
    score: 0.85,
    pattern: assignedValue,
    cue: {
      words: names,
      search: nameParts,
      // Separators of Make, Go (with a type), Ruby, PHP, JSON, XML elements and attributes, and setters: `=`, `?=`, `::=`, `.=`, `=>`, `:`.
      gap: /["'`]?[\])}]?(?:(?: string)?[ \t]{0,3}(?:[.?+:|]{0,3}={1,3}|=>|->|:)[ \t]{0,3}|>\s{0,12}|(?:["']? +value=|["'`],)[ \t]{0,3})["'`]?/,
    },
    measure: measurePassword,
  },
  {
    kind: "secret",
    score: 0.85,
    pattern: statedValue,
    cue: { words: names, search: nameParts, gap: /["'`]? (?:is|ist|es|est|é)(?: ?:)?[ \t]{1,3}["'`]?/ },
    measure: measureStatedPassword,
  },
  {
    kind: "secret",
    score: 0.9,
    pattern: /(?<=[ \t])(?=[A-Za-z+/_-]{0,199}\d)(?=\d{0,199}[A-Za-z])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w/+-])/,
    cue: { words: /\b(?:secret|password|passphrase|api[ _-]?key|access[ _-]?key|token)/i, gap: /[ \t]{1,3}/ },
  },
  {
    kind: "credentials",
    score: 0.99,
    pattern: /(?<=[ ])[A-Za-z0-9+/._~-]{20,}={0,2}/,
    cue: { words: /\b(?:Basic|Bearer)/i, gap: / / },
  },
  {
    kind: "password",
    score: 0.95,
    pattern: /(?<=:)[^\s"'`]{3,500}/,
    cue: { words: /\b(?:curl|wget)\b/i, gap: /[^\n]{0,120}\s(?:-u|--user)[ =]?["']?[^\s:"']{1,60}:/ },
    measure: (match) => (/^[$<{%]/.test(match) ? 0 : match.length),
  },
];

/** Formats of keys, tokens, passwords and other credentials. */
export const secretFormats: readonly SensitiveFormat[] = [
  ...[...vendorFormats, ...prefixedKeys].map(([kind, pattern]) => ({
    kind,
    pattern,
    category: "secrets" as const,
    score: 0.99,
  })),
  ...announcedFormats.map((format) => ({ ...format, category: "secrets" as const })),
];
