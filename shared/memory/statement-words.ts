/**
 * Returns a regular expression that matches whole words. `*` stands for any letters. Only for languages with spaces
 * between words.
 */
export function words(...alternatives: readonly string[]): RegExp {
  const patterns = alternatives.flatMap((line) => line.split("|")).map((word) => word.replaceAll("*", "\\p{L}*"));
  return new RegExp(String.raw`(?<!\p{L})(?:${patterns.join("|")})(?!\p{L})`, "iu");
}

/** Returns a regular expression that matches if one of the given expressions matches. */
export const either = (...expressions: readonly RegExp[]) =>
  new RegExp(expressions.map(({ source }) => source).join("|"), "iu");

/** Matches the mark that a redaction leaves, such as `[secret]`. */
const redactionMark = /\[[a-z][a-z ,-]{1,40}\]/i;

/**
 * Matches words for secrets, such as "password". Statements with one are not remembered, even if the value was not
 * recognized and redacted.
 */
const secretNames = either(
  words(
    "passwor*|passphrase*|passcode*|pass ?key|pin|pin[ -]?code*|secrets?|api[ -]?keys?|private key|access key|credentials?|login|cvv|cvc|iban|credit card*|card number|social security*|ssn",
    "passwort*|kennwort*|geheimzahl*|geheimcode*|kreditkarte*|kontonummer*|zugangsdaten",
    "mots? de passe|code secret|code pin|carte (?:bleue|bancaire|de crédit)|identifiants?",
    "contraseñas?|clave|claves|código secreto|tarjeta de crédito|parola d.ordine|codice segreto|carta di credito",
    "senhas?|palavras?-(?:passe|chave)|cartão de crédito|o (?:meu )?código",
    "парол*|пин-?код*|секретн*|кредитн* карт*",
  ),
  /パスワード|暗証|秘密|クレジットカード|密码|密碼|口令|验证码|信用卡|银行卡/u,
);

/** Matches words of instructions that would change the rules of the service. */
const ruleWords = either(
  words(
    "obey*|comply|complies|rules?|restrict*|limitations?|unrestricted|polic(?:y|ies)|instructions?|system prompts?|prompts?|guardrails?|safety|filters?|ignore*|disregard*|overrid*|bypass*|jailbr*|permissions?|reveal*|disclos*|leak*|developer mode|admin mode",
    "gehorch*|befolg*|regeln?|beschränk*|einschränk*|vorschrift*|anweisung*|richtlinie*|ignorier*|umgeh*|verrat*|verrätst|offenleg*|sicherheits*|systemprompt*",
    "obéi*|règles?|consignes?|instructions?|contourn*|ignore[rsz]?|révél*|divulgu*|sécurité",
    "obede[cz]*|reglas?|restriccion*|restricción|normas?|instruccion*|instrucción|ignor*|revel*|seguridad|límites?|órdenes|orden",
    "obbedi*|regol[ae]|restrizion*|istruzion*|rivel*|sicurezza|ordini|ordine|limiti",
    "regras?|restriç*|instruç*|segurança|ordens|ordem|limites?",
    "подчин*|повину*|слушай*|выполня*|правил*|ограничен*|инструкц*|игнорир*|раскр*|безопасност*|приказ*|команд*",
  ),
  /従[うっいえわ]|実行|ルール|規則|指示|制限|命令|無視|明か[すし]|公開|安全|服从|遵守|遵从|听从|规则|规定|限制|指令|命令|无视|忽略|执行|透露|泄露|權限|权限/u,
);

/** Matches words of instructions about documents, tools and approvals. */
const dutyWords = either(
  words(
    "documents?|files?|attachments?|attached|uploads?|web ?(?:pages?|sites?)|e-?mails?|sources?|tools?|approv*|confirm*|permit*|allow*|without asking|admin*|system|trust*|execut*|links?|images?|urls?|texts?|internet|commands?|orders|results?|send|forward",
    "dokument*|datei*|anhang|anhäng*|webseite*|quellen?|werkzeug*|genehmig*|bestätig*|freigeb*|freigabe*|erlaub*|ohne (?:zu fragen|nachfrage|rückfrage)|vertrau*|ausführ*|führ*|administrator*|texte?n?|internet|befehl*|ergebnis*|sende*|schick*",
    "fichiers?|pièces? jointes?|joint*|courriels?|mails?|outils?|approuv*|confirm*|autoris*|sans (?:me )?demander|exécut*|administr*|envoi*|envoy*|liens?|textes?|résultats?|accord|ordres?",
    "documentos?|archivos?|adjunt*|correos?|fuentes?|herramient*|aprueb*|aprob*|autoriz*|sin preguntar|ejecut*|administrador*|env[ií]*|enlaces?|páginas?|textos?|resultados?|comprobacion*",
    "documenti|documento|allegat*|fonti|fonte|strument*|approv*|conferm*|autorizz*|senza chiedere|esegu*|amministrat*|invi*|pagin[ae]|testi|risultat[oi]",
    "ficheiros?|arquivos?|anex*|ferramenta*|aprov*|sem perguntar|execut*|mensagens|resultados?|textos?|envi*",
    "документ*|файл*|вложен*|письм*|источник*|инструмент*|одобр*|подтвержд*|разреш*|без спроса|не спрашивая|администратор*|ссылк*|отправ*|страниц*|текст*|результат*",
  ),
  /文書|書類|資料|ドキュメント|ファイル|添付|メール|ツール|承認|確認せず|管理者|システム|送信|送って|検索|リンク|文件|文档|文檔|附件|邮件|网页|工具|批准|同意|确认|管理员|系统|发送|链接|要求|搜索|结果/u,
);

/** Matches reports of what other people said. */
const reportWords = either(
  words(
    "sa(?:y|id|ys|ying)|told|tells|wrote|writes|claim(?:s|ed)?|thinks|asked|replied|answered|mentioned|according to|quote*",
    "sagt|sagte|sagten|sagen|meint|meinte|schreibt|schrieb|behauptet*|erzählt*|laut|fragte|gesagt|geschrieben|erklärte",
    "dit|disait|disent|raconte*|écrit|affirme*|prétend*|selon|pense|a répondu|d'après",
    "dice|dijo|dicen|decía|escribe|escribió|cuenta que|contó|afirma*|según|piensa|opina|preguntó",
    "ha detto|dice che|diceva|dicono|ha scritto|scrive che|afferma*|secondo|pensa|racconta*",
    "diz|disse|dizem|dizia|escreve[u]?|afirma*|contou|acha|segundo|perguntou",
    "говор[иия]т|сказал*|говорил*|пишет|написал*|утвержда*|считает|по словам|рассказ*|спросил*",
  ),
  /と(?:言|い)(?:って|った|う|いました)|と書|と話|と述べ|によると|によれば|だそうで|らしい|说|說|寫道|写道|表示|告诉|告訴|据|觉得|认为/u,
);

/** Matches suppositions, wishes and role plays. */
const suppositionWords = either(
  /^(?:what )?if\b|^(?:si|se|wenn|falls|sofern|когда бы) /iu,
  words(
    "suppose|supposing|imagine*|pretend*|would|wish|could|might|let's say|assume|assuming|role-?play|act as|as if",
    "angenommen|stell dir vor|würde*|hätte*|wäre*|könnte*|tu so|als ob|spiel",
    "imagin*|suppos*|fais comme si|faisons comme|voudrais|serais|aurais|joue",
    "supón|supongamos|imagin*|haz como|finge|finjamos|viviera|fuera|trabajaría|sería|tendría|juguemos",
    "immagin*|fai finta|fingi*|facciamo finta|se fossi|vivrei|sarei|avrei|supponi*",
    "faz de conta|finge|imagina*|se eu fosse|se fosse|suponha*|supõe|seria|teria",
    "если|представь*|допустим|предположим|бы|притворись|сделай вид|будто",
  ),
  /もし|仮に|だったら|なら(?:ば)?、|と想像|ふりをして|になりきって|如果|假如|假设|假設|要是|想象|假装|假裝|扮演/u,
);

/** Matches words for a temporary state, such as "today". */
const momentWords = either(
  words(
    "today|tonight|tomorrow|yesterday|right now|just now|at the moment|this (?:morning|week|evening|afternoon)|for now|a bit|so far",
    "heute|gerade|momentan|morgen|gestern|im moment|im augenblick|diese woche|jetzt gleich",
    "aujourd.hui|en ce moment|demain|hier|ce soir|ce matin|cette semaine",
    "hoy|ahora mismo|mañana|ayer|esta (?:noche|semana|tarde)|en este momento",
    "oggi|adesso|domani|ieri|stasera|stamattina|questa settimana|in questo momento",
    "hoje|agora mesmo|amanhã|ontem|esta (?:noite|semana|tarde)|neste momento|estou",
    "сегодня|сейчас|завтра|вчера|на этой неделе|в данный момент",
  ),
  /今日|今は(?!.{0,16}(?:住|働|勤))|今から|明日|昨日|今週|さっき|今天|明天|昨天|刚才|此刻|今晚|这周/u,
);

/**
 * Matches the start of a sentence that gives the assistant a task or asks it something, such as "Please translate" or
 * "What". The text after a task may be material to work on, so `ownStatements` takes no statements from it.
 */
const taskStart = new RegExp(
  String.raw`^(?:(?:please|bitte|kindly|can you|could you|now|then|s.il te plaît|por favor|per favore|пожалуйста|请|請|帮我|幫我),?\s*)?(?:${[
    "(?:translat|correct|proofread|rewrit|rephras|paraphras|summari[sz]|shorten|improv|check|fix|classify|analy[sz]|explain|spell|pronounc|complet|continu|repeat|write|compos|draft|creat|generat|mak|giv|tell|show|list|nam|find|help|describ|play|act|answer the|read|what|why|how|who|when|where|which|is|are|do|does|can)",
    "(?:übersetz|korrigier|verbesser|formulier|fass|kürz|prüf|schreib|verfass|erstell|erklär|analysier|ergänz|wiederhol|gib|zeig|nenn|hilf|spiel|lies)",
    "(?:tradui|corrige|reformule|résume|améliore|vérifie|écris|rédige|explique|complète|répète|donne|montre|aide|joue|lis)",
    "(?:traduc|traduz|corrig|reescrib|reformul|resum|mejora|revisa|escrib|redacta|explica|complet|repit|muestra|ayuda|haz una?|lee)",
    "(?:correggi|riscriv|riassum|migliora|controlla|scriv|spiega|ripeti|mostra|aiuta|leggi)",
    "(?:reescrev|melhora|escrev|redige|mostra|ajuda|lê|leia)",
    "(?:перевед|исправ|перепиш|сократ|улучш|провер|напиши|состав|объясн|повтори|покажи|помоги|прочита)",
    "(?:翻译|翻譯|把|将|改写|总结|修改|润色|写|寫|解释|分析|重复)",
  ].join("|")})`,
  "iu",
);

/**
 * Matches tasks about a text before or after them, such as to translate it, anywhere in a sentence; not words for a
 * profession, such as "translator".
 */
const textTask = either(
  words(
    "translat(?:e[sd]?|ing|ions?)|proofread*|rephras*|paraphras*|summari[sz]*|rewrit*|grammar|(?:correct|check|fix|improve|shorten) (?:this|the|my|that|following)*",
    "übersetz(?:e|en|t|te|ung|ungen)?|korrigier*|korrektur*|umformulier*|formulier*|zusammenfass*|fass*|grammatik*",
    "tradui*|traduction|corrige*|reformul*|résum*|grammaire",
    "traduc(?:e|es|ir|ción|ciones)|tradu(?:z|za|zam|zca|zcan|zir|zida|zido|ção|ções)|corrig*|corrij*|reescrib*|resum*|gramátic*",
    "traduci(?:mi|lo|la)?|tradurre|traduzion[ei]|corregg*|riscriv*|riassum*|grammatica",
    "reescrev*|gramátic*",
    "перевед*|перевод(?:а|ы|е|ом|у)?|исправ*|перепиш*|перефразир*|сократи*|грамматик*",
    "(?:this|these|following) (?:sentences?|texts?|phrase|paragraph|letter)|(?:diese[rns]?|folgende[rns]?) (?:satz|sätze|text|absatz|brief)",
    "(?:cette|ces|la) phrases?|(?:ce|le) (?:texte|paragraphe)|(?:esta|la siguiente) frase|este (?:texto|párrafo)|(?:questa|la seguente) frase|questo testo",
    "(?:esta|essa|a seguinte) frase|(?:эту|следующую)? ?фразу|(?:это|следующее) предложение|этот текст",
  ),
  /訳して|翻訳(?![者家])|添削|直して|要約|書き直|言い換え|校正|(?:次|以下|この)の?(?:文|手紙)|(?<![是做当])翻译(?!员|家)|翻譯|改写|总结|润色|校对|修改|这(?:句话|段话|封信)/u,
);

/** Matches words for the form of answers, and for how to address the user. */
const formWords = either(
  words(
    "answers?|repl(?:y|ies)|respon[ds]*|responses?|call me|address me|units?|format*|bullets?|explanations?|tone|emoji*|greeting*|language|code examples?|examples?|english|german|french|spanish|italian|portuguese|use|write|speak|talk|explain|avoid",
    "antwort*|schreib*|duze*|sieze*|nenn* mich|anrede*|sprich|erklär*|verwende*|benutze*|beispiele?",
    "répon*|tutoie*|vouvoie*|appelle[- ]moi|écri[st]|parle*|explique*|utilise*|exemples?",
    "resp[oó]nd*|respuestas?|contest[ae]*|tutéa*|trátame|háblame|llámame|escríbeme|explica*|usa|ejemplos?",
    "rispond*|rispost[ae]|dammi del (?:tu|lei)|dimmi|chiamami|scrivi*|parla*|spiega*|usa|esempi",
    "respond*|respostas?|trata-me|trate-me|chama-me|me chame|escrev[ea]*|fala*|explica*|usa|use|exemplos?",
    "отвеча*|ответ*|называй*|зови|пиши*|обращай*|говори|объясня*|используй*|на ты",
  ),
  /答え|回答|返事|返信|話して|呼んで|敬語|丁寧|説明|書いて|使って|回复|叫我|称呼|说话|解释|回應|用(?:简体|繁体|中文|英文|英语)/u,
);

/** Matches words that make an instruction last, such as "always". */
const lastingWords = either(
  words(
    "from now on|in (?:the )?future|going forward|always|never|every time|whenever",
    "ab jetzt|ab sofort|von nun an|in zukunft|künftig|zukünftig|immer|stets|nie|niemals",
    "désormais|dorénavant|à l.avenir|à partir de maintenant|toujours|jamais",
    "a partir de ahora|de ahora en adelante|en adelante|en el futuro|siempre|nunca",
    "d.ora in (?:poi|avanti)|in futuro|da adesso in poi|sempre|mai",
    "de agora em diante|a partir de agora|daqui (?:em|para a) (?:diante|frente)|no futuro|sempre",
    "с этого момента|отныне|впредь|с сегодняшнего дня|всегда|никогда|теперь",
  ),
  /これから|今後|いつも|常に|毎回|以后|以後|今后|今後|从现在(?:起|开始)|總是|总是|每次|一直/u,
);

/** Matches statements about what the assistant may or must do. */
const assistantWords = either(
  words(
    "you (?:are|can|may|must|should|have|will|need)|you're|your",
    "du (?:bist|darfst|musst|kannst|sollst|hast|wirst)|dein*|musst du|darfst du|kannst du",
    "tu (?:es|peux|dois|as|vas|n.as)|tes|ton|ta",
    "(?:tú )?(?:puedes|debes|tienes|eres|estás)|tus|tu|considera*",
    "puoi|devi|hai|sei|le tue|tuoi|tua|tuo|considera*",
    "podes|deves|tens|pode|deve|és|tuas?|teus?|seus?|considera*|segue|siga",
    "ты|тебе|тебя|твои|твой|твоя|можешь|должен",
  ),
  /あなた|してよい|してもよい|しなければ|你(?:不|可以|必须|應該|应该|是|要|能)|您/u,
);

export const statementWords = {
  assistantWords,
  formWords,
  lastingWords,
  momentWords,
  reportWords,
  suppositionWords,
  taskStart,
  textTask,
} as const;

/** Returns true if a text contains the mark of a redaction, or a word for a secret. */
export const mentionsSecret = (text: string): boolean => redactionMark.test(text) || secretNames.test(text);

/**
 * Returns true if a text may be an instruction on the rules of the service, or about documents, tools and approvals.
 * @param isOrder true if the text is an instruction to the assistant; words for documents, tools and approvals count
 * only then
 */
export const isAboutRules = (text: string, isOrder: boolean): boolean =>
  ruleWords.test(text) || (isOrder && dutyWords.test(text));
