/** Sample of Markdown: its kind, the source, and what a reader sees in the notation of `normalize`. */
export type MarkdownSample = readonly [kind: string, markdown: string, expected: string];

/** A word, a sentence without its last mark, that mark, and another word, in the scripts of readers. */
const languages = [
  ["en", "refund", "Take care", ".", "parcel"],
  ["de", "Rückgabe", "Bitte prüfen", ".", "Größe"],
  ["fr", "remboursement", "Attention", " !", "taille"],
  ["es", "envío", "Tenga cuidado", ".", "año"],
  ["pl", "zwrot", "Proszę sprawdzić", ".", "rozmiar"],
  ["tr", "iade", "Lütfen dikkat", ".", "ölçü"],
  ["ru", "возврат", "Обратите внимание", ".", "размер"],
  ["el", "επιστροφή", "Προσοχή", ".", "μέγεθος"],
  ["ar", "استرداد", "انتبه", "؟", "حجم"],
  ["he", "החזר", "שימו לב", ".", "מידה"],
  ["hi", "वापसी", "ध्यान दें", "।", "आकार"],
  ["th", "คืนเงิน", "โปรดระวัง", "", "ขนาด"],
  ["zh", "退款", "注意", "：", "尺寸"],
  ["zh-Hant", "退貨", "請留意", "。", "尺寸"],
  ["ja", "返品", "ご注意", "。", "「重点」"],
  ["ko", "환불", "주의", "!", "크기"],
] as const;

/** Kinds that exist in every language: source and what a reader sees. */
const templates: Readonly<
  Record<string, (word: string, sentence: string, mark: string, other: string) => readonly [string, string]>
> = {
  paragraph: (word, sentence, mark) => [`${word}\n${sentence}${mark}`, `p(${word}br ${sentence}${mark})`],
  lines: (word, sentence, _, other) => [
    `**${word}\n${other}** 1\n${sentence}`,
    `p(b(${word}br ${other}) 1br ${sentence})`,
  ],
  heading: (word) => [`## ${word}`, `h3(${word})`],
  strong: (word, sentence) => [`${word} **${sentence}** ${word}`, `p(${word} b(${sentence}) ${word})`],
  emphasis: (word, sentence) => [`*${sentence}* ${word}`, `p(i(${sentence}) ${word})`],
  both: (word, sentence) => [`***${sentence}*** ${word}`, `p(i(b(${sentence})) ${word})`],
  deleted: (word, sentence) => [`~~${sentence}~~ ${word}`, `p(s(${sentence}) ${word})`],
  range: (word, _, __, other) => [`${word} 10~20, ${other} 30~40`, `p(${word} 10~20, ${other} 30~40)`],
  code: (word) => [`${word} \`arr[0] **${word}**\``, `p(${word} code(arr[0] **${word}**))`],
  index: (word) => [`${word}: arr[0], arr[1]`, `p(${word}: arr[0], arr[1])`],
  fence: (word) => [`\`\`\`js\n// ${word}\n\nf(\`1\`)\n\`\`\``, `pre(// ${word}\n\nf(\`1\`))`],
  link: (_, sentence) => [`[${sentence}](https://example.com/a_b)`, `p(a[https://example.com/a_b](${sentence}))`],
  file: (word) => [`[${word}](<a b.pdf>)`, `p(a[a b.pdf](${word}))`],
  phone: (word) => [`[${word}](tel:+4930123)`, `p(a[tel:+4930123](${word}))`],
  relative: (word) => [`[${word}](/help#a)`, `p(a[/help#a](${word}))`],
  script: (word) => [`[${word}](javascript:alert(1))`, `p(${word})`],
  address: (word) => [
    `${word} https://example.com/a?b=1, ${word}`,
    `p(${word} a[https://example.com/a?b=1](https://example.com/a?b=1), ${word})`,
  ],
  punctuation: (word) => [
    `${word} https://example.com/a，${word}。`,
    `p(${word} a[https://example.com/a](https://example.com/a)，${word}。)`,
  ],
  list: (word, sentence, _, other) => [
    `- ${word}\n- ${sentence}\n  - ${other}`,
    `ul(li(${word})li(${sentence}ul(li(${other}))))`,
  ],
  numbers: (word, sentence, _, other) => [
    `1. ${word}\n\n\`\`\`\nx\n\`\`\`\n\n2. ${sentence}\n3. ${other}`,
    `ol1(li(${word}))pre(x)ol2(li(${sentence})li(${other}))`,
  ],
  indented: (word) => [
    `1. ${word}\n\n   \`\`\`sh\n   ls -l\n   \`\`\`\n\n2. ${word}`,
    `ol1(li(${word}pre(ls -l))li(${word}))`,
  ],
  tasks: (word, sentence) => [`- [x] ${word}\n- [ ] ${sentence}`, `ul(li(☑ ${word})li(☐ ${sentence}))`],
  table: (word, sentence, _, other) => [
    `| ${word} | ${other} |\n|---|:-:|\n| **${sentence}**<br>x | a \\| b |`,
    `table(tr(th(${word})th:center(${other}))tr(td(b(${sentence})br x)td:center(a | b)))`,
  ],
  aligned: (word, _, __, other) => [
    `|${word}|${other}|x|\n|:--|--:|---|\n|1|2|3|`,
    `table(tr(th:left(${word})th:right(${other})th(x))tr(td:left(1)td:right(2)td(3)))`,
  ],
  titled: (word, sentence) => [`[${word}](/a "${sentence}")`, `p(a[/a "${sentence}"](${word}))`],
  quote: (word, sentence) => [`> ${word}\n> **${sentence}**`, `quote(p(${word}br b(${sentence})))`],
  raised: (word) => [`${word} H<sub>2</sub>O, m<sup>2</sup>`, `p(${word} Hsub(2)O, msup(2))`],
  html: (word) => [`<div>${word}</div> <b onclick="x">${word}</b>`, `p(<div>${word}</div> <b onclick="x">${word}</b>)`],
  entities: (word) => [`${word} &copy; &amp; &euro; &#8364; &lt;b&gt;`, `p(${word} © & € € <b>)`],
  money: (word) => [`${word} $5 – $10, US$7`, `p(${word} $5 – $10, US$7)`],
  formula: (word) => [`${word} $a_1 * b_2$ \\(x^2\\)`, `p(${word} math(a_1 * b_2) math(x^2))`],
  display: (word) => [`${word}\n\n$$\na\n\n\\\\ b\n$$`, `p(${word})math(a \\\\ b)`],
  footnote: (word, sentence) => [`${word}[^1]\n\n[^1]: ${sentence}`, `p(${word}sup(1))ol1(li(${sentence}))`],
  reference: (word) => [`[${word}][a]\n\n[a]: https://example.com/r`, `p(a[https://example.com/r](${word}))`],
  escapes: (word) => [`\\*${word}\\* 1\\. snake_case_x 2 * 3 * 4`, `p(*${word}* 1. snake_case_x 2 * 3 * 4)`],
  image: (word) => [
    `${word} ![${word}](https://example.com/i.png)`,
    `p(${word} a[https://example.com/i.png](${word}))`,
  ],
  rule: (word) => [`${word}\n\n---\n\n${word}`, `p(${word})hr p(${word})`],
};

const tight: readonly MarkdownSample[] = [
  ["cjk", "**注意：**正文", "p(b(注意：)正文)"],
  ["cjk", "**「重点」**です", "p(b(「重点」)です)"],
  ["cjk", "これは**「強調」**です", "p(これはb(「強調」)です)"],
  ["cjk", "价格为10~20元，套餐30~40元", "p(价格为10~20元，套餐30~40元)"],
  ["cjk", "请~~删除（旧）~~继续", "p(请s(删除（旧）)继续)"],
  ["cjk", "**주의(중요)**입니다", "p(b(주의(중요))입니다)"],
  ["cjk", "见https://example.com/路径。谢谢", "p(见a[https://example.com/路径](https://example.com/路径)。谢谢)"],
  ["cjk", "**见 https://example.com/a。**后文", "p(b(见 a[https://example.com/a](https://example.com/a)。)后文)"],
  ["cjk", "邮箱 a@example.com，谢谢", "p(邮箱 a[mailto:a@example.com](a@example.com)，谢谢)"],
  ["cjk", "（https://example.com）", "p(（a[https://example.com](https://example.com)）)"],
];

/** Samples of every kind in every language. */
export const markdownCorpus: readonly MarkdownSample[] = [
  ...Object.entries(templates).flatMap(([kind, create]) =>
    languages.map(
      ([language, word, sentence, mark, other]): MarkdownSample => [
        `${kind} ${language}`,
        ...create(word, sentence, mark, other),
      ],
    ),
  ),
  ...tight,
];
