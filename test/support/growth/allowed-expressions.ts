/** Expressions that `recheck` need not find linear, with the reason. */
interface AllowedExpressions {
  readonly reason: string;
  /** Beginnings of the expressions by file. An empty one stands for all expressions of a file. */
  readonly expressions: Readonly<Record<string, readonly string[]>>;
}

/**
 * Expressions that `recheck` does not decide or finds quadratic. `test/unit/growth.long.test.ts` measures all of them, unless they only see
 * text of the project.
 */
export const allowedExpressions: readonly AllowedExpressions[] = [
  {
    reason: "tokens of vendors: a fixed beginning and classes, of which most have too many states for an automaton",
    expressions: {
      "shared/guardrails/secrets/own-tokens.ts": [""],
      "shared/guardrails/secrets/vendor-tokens.ts": [""],
    },
  },
  {
    reason: "quadratic, but for texts of the project only",
    expressions: {
      "shared/guardrails/join-patterns.ts": [String.raw`\\.|\[(?:\\.|[^\]\\])*\]`],
      "shared/guardrails/pii/checksums.ts": [String.raw`(\d+)([nac])`],
    },
  },
  {
    reason: "quadratic, but for texts of limited length only: truncated titles",
    expressions: {
      "shared/chat/name-conversation.ts": [String.raw`\s+\S*$`],
    },
  },
  {
    reason: "a syntax that it does not parse: the flag `v`, modifiers",
    expressions: {
      "shared/api/knowledge/document-fields.ts": [String.raw`[[\p{Cc}&&\p{ASCII}]--\s]`],
      "shared/guardrails/secrets/reads-as-code.ts": [String.raw`^(?:v?\d+(?:(?:alpha|beta|rc`],
      "shared/guardrails/secrets/secret-formats.ts": [String.raw`(?<![\p{L}\d])(?:[\w.-]{0,40`],
      "shared/lib/language/terms.ts": [String.raw`(?<paired>[\p{sc=Han}\p{sc=H`],
    },
  },
  {
    reason: "lookarounds and back references, which its automaton does not support",
    expressions: {
      "shared/chat/context/quote.ts": [String.raw`<(?=\s*(?:\/\s*)?(?:source|n`, "<(source|note|alert|message|"],
      "shared/chat/context/write-summary.ts": [String.raw`(?<=[.!?。！？])\s+|\n+`],
      "shared/chat/questions/complete-question.ts": ["^[\"'“„«]+|(?<![\"'”“»])[\"'”“»"],
      "shared/chat/questions/split-enumeration.ts": ["(?<![?.!:])[?.!:]+$"],
      "shared/dynamodb/item-types.ts": ["^[a-z-]+(?=#|$)"],
      "shared/dynamodb/dynamodb-client.ts": [String.raw`(?<!\\)((?:\\\\)*)\\ud[89a-f`],
      "shared/governance/exports/archive-parts.ts": ["(?<![. ])[. ]+$"],
      "shared/guardrails/links/link-formats.ts": ["(?<![.,;:!?*_~'])[.,;:!?*_~'"],
      "shared/guardrails/local/injection-classifier.ts": [String.raw`[\p{Script=Han}\p{Script=Hir`],
      "shared/guardrails/local/normalize.ts": [
        "(?<![0-9a-z])(?:(?:0x)?[0-9a",
        "(?<![A-Za-z0-9+/=_-])[A-Za-z",
        String.raw`(?<![\p{L}\d])(?:[\p{L}\d](?`,
        String.raw`(?<!\d)(?:[01]{8}[\s,]?){6,}`,
      ],
      "shared/guardrails/local/rules.ts": [
        String.raw`\b(?:amoral|unfiltered|uncen`,
        String.raw`\b(?:how (?:do|can|could|wou`,
        String.raw`\b(?:never|not|cannot|can't|`,
        String.raw`\b(?:sexual|erotic|porn\w*|n`,
        String.raw`\bdo anything now\b|\b(?:ai|`,
      ],
      "shared/guardrails/pii/account-numbers.ts": [String.raw`^(\d)\1+$|0{10}$`],
      "shared/guardrails/sanitize-untrusted.ts": [String.raw`(?<=[\p{Script=Latin}\d\s])(`],
      "shared/guardrails/secrets/looks-secret.ts": [String.raw`(?<![.)\]}])[.)\]}]+(?:\*\*|`],
      "shared/guardrails/secrets/reads-as-code.ts": [
        String.raw`(?<!\d)\d+$`,
        "[A-Z]+(?![a-z])|[A-Z]?[a-z]+",
        String.raw`[_-]|(?<!\d)\d+$`,
        String.raw`^(?:\d{1,2}(?=[A-Za-z]{3}))?`,
        String.raw`^(?=.*\P{ASCII})\p{L}+$`,
        "^(?=[^a-z]*[a-z])(?=[^A-Z]*[",
      ],
      "shared/guardrails/secrets/secret-formats.ts": [
        "(?<=(?:[=:,][ \\t]{0,3}|>\\s{0,12})[\"'`]?)[A",
        String.raw`(?<=[ \t])(?=[A-Za-z+/_-]{0,`,
        "(?<=[ ])[A-Za-z0-9+/._~-]{20",
      ],
      "shared/guardrails/secrets/spoken-passwords.ts": [
        String.raw`(?<![.,;:!?)\]])[.,;:!?)\]]+$`,
        "(?<![.,;:])[.,;:]+$",
      ],
      "shared/investigations/runbook.ts": [String.raw`^(["'])(.*)\1$`],
      "shared/knowledge/search/relevance.ts": [String.raw`(?<=[\p{L}\p{N},"] )["(]?(?:`],
      "shared/knowledge/search/split-question.ts": [String.raw`(?<=[.?!;؟])(?<![\s(]\p{L}\.)`],
      "shared/knowledge/web/search-web.ts": [String.raw`(?<!\/)\/+$`],
      "shared/markdown/costly-markdown.ts": [String.raw`^(?:[ \t]*(?:>|(?:[*+-]|\d{1`],
      "shared/memory/extract-memorable-facts.ts": [String.raw`[,;，、。]\s*|\s(?=`],
      "shared/memory/own-statements.ts": ["^(?:(?:hi|hello|hey|thanks|t", "```[\\s\\S]*?(?:```|(?![\\s\\S])"],
      "shared/models/safe-message.ts": [
        String.raw`(?<![\w-])(?=[\w-]*\d)(?=[\w-`,
        String.raw`(?<![\w.+-])[\w.+-]+@[\w-]+(`,
        String.raw`(?<![a-z\d.-])(?:[a-z\d](?:[`,
        String.raw`\b(?:org|proj|project|acct|a`,
      ],
      "shared/openai/redacted-arguments.ts": [String.raw`^\[(?!(?:true|false|null)\])`],
      "shared/personas/persona-rules.ts": ["^-+|(?<!-)-+$"],
      "shared/tools/tool-names.ts": ["^_+|(?<!_)_+$"],
    },
  },
  {
    reason: "too many states for a decision within ten seconds",
    expressions: {
      "shared/api/webhooks/webhooks.ts": ["^arn:aws[a-z-]*:sns:[a-z0-9-"],
      "shared/api/governance/guardrail-policy.ts": [String.raw`^([a-z\d]([a-z\d-]{0,61}[a-z`],
      "shared/chat/questions/visitor-question.ts": [String.raw`\b(?:I (?:do not|don['’]t) (`],
      "shared/files/extract-rtf.ts": ["^(?:colortbl|pict|objdata|he"],
      "shared/files/pdf/pdf-title.ts": [String.raw`\.\w{2,5}$|[\\/]|^(?:microso`],
      "shared/guardrails/links/link-formats.ts": ["<(?:img|image|video|audio|so"],
      "shared/guardrails/local/rules.ts": [
        String.raw`<\|(?:im_start|im_end|system`,
        String.raw`\b(?:ai|llm|language model|a`,
        String.raw`\b(?:ignorier\w*|vergiss|mis`,
        String.raw`\b(?:reveal|print|show|displ`,
        String.raw`\b(?:send|forward|email|e-ma`,
        String.raw`\bi(?:'ll|'m going to| will|`,
        String.raw`\byou(?:'re| are)?(?: (?:a|a`,
      ],
      "shared/guardrails/pii/personal-data-formats.ts": [String.raw`\b(?:driv(?:er'?s?|ing)[ -]?`],
      "shared/guardrails/sanitize-untrusted.ts": [String.raw`<!--(?:[\s\S]*?-->|[\s\S]*$)`],
      "shared/guardrails/secrets/looks-secret.ts": ["^(?:pass(?:word|wd|phrase)?|"],
      "shared/guardrails/secrets/reads-as-code.ts": [String.raw`^(?:[\d.]+\)|[+-]?0[xX][\da-`],
      "shared/guardrails/secrets/spoken-passwords.ts": [
        String.raw`[^\n]{0,60}\r?\n {0,3}`,
        String.raw`^(?:https?:|www\.|\/|\.{1,2}`,
      ],
      "shared/investigations/runbook.ts": [
        String.raw`^( *)([\w.-]{1,100}):(?:[ \t`,
        String.raw`^\s{0,3}(?:\d{1,3}[.)]|[-*+]`,
        String.raw`^\uFEFF?---[ \t]*\r?\n([\s\S`,
        String.raw`^\uFEFF?---[ \t]*\r?\n[\s\S]`,
      ],
      "shared/knowledge/imports/sitemap.ts": [String.raw`<loc>\s*(?:<!\[CDATA\[)?([^<`],
      "shared/knowledge/imports/store-page.ts": ["<title[^>]*>([^<]{1,1000})"],
      "shared/markdown/costly-markdown.ts": [String.raw`(?:\|[ \t]*:?-+:?[ \t]*){100`],
      "shared/lib/language/locate-sentences.ts": [String.raw`(?:^|[\s(„“"'’-])(?:\p{L}|\d`],
      "shared/memory/memory-requests.ts": ["^(?:(?:onthoud|bewaar)(?: (?:even"],
      "shared/memory/own-statements.ts": ["^(?:about me|for context|con"],
      "shared/models/compatible/reported-error.ts": [
        String.raw`(?:exceed\w*|(?:longer|large`,
        String.raw`exceed\w* (?:the )?(?:model(`,
        String.raw`exceed\w* context (?:length|`,
      ],
      "shared/models/provider-error.ts": ["ECONN|ENOTFOUND|EAI_AGAIN|EP"],
      "shared/models/safe-message.ts": [String.raw`\b(?:sk|pk|rk|gsk|xai|hf|ghp`, String.raw`\b[a-z][a-z+.-]{0,30}`],
      "shared/personas/template-rules.ts": [String.raw`\{\{\s*([A-Za-z_][A-Za-z0-9_`],
      "shared/teams/receive-activity.ts": [String.raw`^connect\s+([\w-]{16,64})$`],
      "shared/tools/questions.ts": [String.raw`\b(?:do not|don't|never) (?:`],
    },
  },
];
