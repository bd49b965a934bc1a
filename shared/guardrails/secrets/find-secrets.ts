import type { Span } from "../spans.ts";

/** Vendor formats that identify a secret by prefix and length, with their literal prefixes. */
const secretFormats: readonly (readonly [kind: string, pattern: RegExp, prefixes?: string])[] = [
  [
    "private key",
    /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{0,8000}(?:-----END (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g,
    "-----",
  ],
  ["AWS access key", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g, "AKIA ASIA ABIA ACCA"],
  ["Google API key", /\bAIza[\w-]{35}(?![\w-])/g, "AIza"],
  ["Google OAuth secret", /\bGOCSPX-[\w-]{28}(?![\w-])/g, "GOCSPX-"],
  ["Google token", /\bya29\.[\w-]{20,500}/g, "ya29."],
  ["OpenAI API key", /\bsk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,200}/g, "sk-"],
  [
    "GitHub token",
    /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})/g,
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
  ],
  [
    "GitLab token",
    /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct|oas)-[\w-]{20,64}/g,
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- glffct- gloas-",
  ],
  [
    "Slack token",
    /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}|\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{20,100}/g,
    "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
  ],
  [
    "webhook address",
    /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/_-]{20,100}|(?<=discord(?:app)?\.com\/api\/webhooks\/)\d{15,20}\/[\w-]{40,100}|(?<=\.webhook\.office\.com\/)[\w@/-]{30,200}/g,
  ],
  [
    "Stripe key",
    /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,247}|\bwhsec_[A-Za-z0-9+/]{24,64}/g,
    "sk_ rk_ pk_ whsec_",
  ],
  ["SendGrid key", /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g, "SG."],
  ["Twilio key", /\b(?:SK|AC)[0-9a-f]{32}\b/g, "SK AC"],
  ["Mailgun key", /\bkey-[0-9a-f]{32}\b/g, "key-"],
  ["Mailchimp key", /\b[0-9a-f]{32}-us\d{1,2}\b/g],
  ["npm token", /\bnpm_[A-Za-z0-9]{36}\b/g, "npm_"],
  ["PyPI token", /\bpypi-AgE[\w-]{50,1000}/g, "pypi-"],
  ["Docker token", /\bdckr_(?:pat|oat)_[\w-]{24,64}/g, "dckr_"],
  ["Hugging Face token", /\bhf_[A-Za-z0-9]{30,64}\b/g, "hf_"],
  ["Databricks token", /\bdapi[0-9a-f]{32}(?:-\d)?\b/g, "dapi"],
  ["DigitalOcean token", /\bdo[opr]_v1_[0-9a-f]{64}\b/g, "doo_ dop_ dor_"],
  ["Shopify token", /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g, "shpat_ shpca_ shppa_ shpss_"],
  ["Square token", /\b(?:EAAA[\w-]{60}|sq0(?:atp|csp|idp)-[\w-]{22,43})/g, "EAAA sq0"],
  ["Telegram token", /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g],
  ["Discord token", /\b[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g],
  ["Facebook token", /\bEAA[A-Za-z0-9]{60,250}\b/g, "EAA"],
  [
    "Azure key",
    /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,90}={0,2}|(?<=[?&]sig=)[A-Za-z0-9%]{40,90}/g,
    "AccountKey SharedAccessKey",
  ],
  ["Vault token", /\bhv[sbr]\.[\w-]{24,200}/g, "hvs. hvb. hvr."],
  ["Linear key", /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}/g, "lin_"],
  ["New Relic key", /\bNRAK-[A-Z0-9]{27}\b/g, "NRAK-"],
  ["Grafana token", /\bgl(?:c|sa)_[A-Za-z0-9_+/=]{32,200}/g, "glc_ glsa_"],
  ["Atlassian token", /\bATATT3[\w=-]{60,250}/g, "ATATT"],
  ["Doppler token", /\bdp\.(?:pt|st|ct|sa|scim)\.[\w.-]{40,90}/g, "dp."],
  ["Postman key", /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/g, "PMAK-"],
  ["age key", /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g, "AGE-SECRET"],
  ["Switchboard key", /\bsw[ke]_[a-z0-9-]{1,63}_[0-9a-f]{32}\b/g, "swk_ swe_"],
  ["token", /\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{0,2000}/g, "eyJ"],
  [
    "user and password",
    /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:@/"'<>]{0,100}:[^\s:@/"'<>]{3,200}(?=@[^\s/"'<>]{2})/gi,
  ],
  [
    "secret",
    /(?<=\b(?:secret|password|passphrase|api[ _-]?key|access[ _-]?key|token)[ \t]{1,3})(?=[A-Za-z+/_-]{0,199}\d)(?=\d{0,199}[A-Za-z])[A-Za-z0-9+/_-]{24,200}={0,2}(?![\w/+-])/gi,
  ],
  ["credentials", /\b(?:Basic|Bearer) [A-Za-z0-9+/._~-]{20,2000}={0,2}/g, "Basic Bearer"],
];

/** Literal prefixes of secrets: a text that ends with one may continue as a secret. */
export const secretPrefixes = secretFormats.flatMap(([, , prefixes]) => prefixes?.split(" ") ?? []);

/** Matches `password: …`, `API_KEY=…`, `"secret": "…"`, `the password is …`. */
const assignment =
  /(?<![\p{L}\d])(?:[\w.-]{0,40}?(?:passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|senha|secret|api[ _-]?key|apikey|access[ _-]?key|auth[ _-]?token|access[ _-]?token|client[ _-]?secret|private[ _-]?key|credential|pwd|token)[\w-]{0,20})["'`]?(?: ?(?::=|=>|[:=])| (?:is|ist|es|est|é)(?= ?[:"'`\d]|\s+\S*[\d!@#$%^&*])(?: ?:)?)[ \t]{0,3}(["'`]?)([^\s"'`,;<>]{6,200})\1/giu;

/**
 * Precheck that every secret matches: a long word, a password in a URL, a line of a key, or a word that announces it. Most
 * texts fail it cheaply, which matters because a streamed text is scanned with every delta.
 */
const mayContainSecret =
  /[\w+/=.%@:-]{15}|:\/\/|-----|passw|passphrase|kennwort|contraseña|mot de passe|senha|secret|key|token|credential|pwd/i;

const placeholderPattern =
  /^(?:[<{$%([]|your|my|the|test|example|changeme|change_me|placeholder|xxx|\*{3}|\.{3}|process\.|os\.|env\.|null|none|true|false|undefined|string|required|optional|secret|password|passwor[td]|token|redacted|incorrect|correct|invalid|expired|missing|wrong|hidden|stored|encrypted|hashed|https?:|function|await|self\.|this\.|req\.|config\.|get)/i;

/** Returns the Shannon entropy of a text in bits per character; words have less than random characters. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Returns true if a value looks like a password or key: several character classes, few repetitions. */
function looksSecret(value: string): boolean {
  // `password: v.pipe(…)` is code, not a password.
  if (placeholderPattern.test(value) || /^[\w$.]+\(/.test(value)) return false;
  const classCount = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(value)).length;
  const bits = entropy(value);
  return (
    (classCount >= 3 && bits >= 2.3) ||
    (classCount === 2 && /\d|[^A-Za-z0-9]/.test(value) && bits >= 2.75 && value.length >= 8)
  );
}

/** Finds keys, tokens, passwords and other credentials in a text. */
export function findSecrets(text: string): Span[] {
  if (!mayContainSecret.test(text)) return [];
  const spans: Span[] = [];
  for (const [kind, pattern] of secretFormats) {
    for (const match of text.matchAll(pattern)) {
      spans.push({ from: match.index, to: match.index + match[0].length, category: "secrets", kind, score: 0.99 });
    }
  }
  for (const match of text.matchAll(assignment)) {
    const [whole, quote = "", rawValue = ""] = match;
    const value = quote ? rawValue : rawValue.replace(/[.)\]]+$/, "");
    if (!looksSecret(value)) continue;
    const from = match.index + whole.lastIndexOf(rawValue);
    spans.push({ from, to: from + value.length, category: "secrets", kind: "secret", score: 0.85 });
  }
  return spans;
}
