import { either, words } from "./statement-words.ts";

/** Matches requests to forget something that is remembered. */
const forgetRequest = either(
  words(
    "(?<!(?:don['’]t|do not|never|not) )forget (?:that|about|my|what|where|who|everything|the fact|the|I|it)|(?:delete|erase|remove|drop) (?:that I|the fact|what I|my (?:birthday|job|age|address|allergy|home|name))|(?:delete|erase|remove|wipe|clear|drop) .{0,40}(?:memor(?:y|ies)|you know|you remember|I told you|I said)|stop remembering|n[o'’]t (?:need|have) to remember",
    "vergiss(?: bitte)?,? (?!nicht)(?!.{0,80} nicht[.!]*$)(?:dass|mein*|was|alles|es|das|die|den|wo|wie)|vergesst|(?:lösch*|streich*|entfern*)(?: bitte)?,? (?:dass ich|mein*|was ich)|(?:lösch*|streich*|entfern*|vergesst) .{0,60}(?:gedächtnis|speicher|weißt|gemerkt|erinnerung*)",
    "(?<!n['’])oublie (?!pas)(?:que|qu|mon|ma|mes|ce|tout|le|la)?|(?:supprime*|efface*|retire*|enlève*) .{0,40}(?:mémoire|sais|souvenirs?)|ne garde plus",
    "(?<!no )olvid(?:a|e|ate de|ese de) (?:que|mi|mis|lo|todo|dónde|el|la)|(?:borra|elimina|quita|suprime) .{0,40}(?:memoria|sabes|recuerdas|recuerdos)",
    "(?<!non )dimentica(?:ti)? (?:che|quello|tutto|il|la|i|le|mio|mia|dove)|(?:cancella|togli|elimina|rimuovi) .{0,40}(?:memoria|sai|ricordi)",
    "(?<!não )esque[cç][ae](?:-te)?(?: de)? (?:que|o|a|os|as|meu|minha|tudo|onde)|(?:apag*|remov*|elimin*|tir[ae]) .{0,40}(?:memória|sabe|sabes|lembra|lembras)",
    "vergeet (?!.{0,80} niet[.!]*$)(?:dat|mijn|wat|alles|waar|het)|niet meer te onthouden|(?:wis|verwijder|haal|schrap) .{0,40}(?:geheugen|weet|onthouden)",
    "nie musisz (?:już )?pamiętać|(?<!nie )zapomnij|(?:usuń|wykasuj|skasuj|wymaż) .{0,40}(?:pamięci|wiesz|pamiętasz)",
    "unut(?:un|ur musun)?|.{0,60}(?:hafıza*|bildik*|bildiğin*|hatırla*) .{0,12}(?:sil|çıkar|kaldır)*",
    "(?:не надо|не нужно) (?:больше )?помнить|(?<!не )забудь(?:те)?|(?:удали|сотри|убери)(?:те)? .{0,40}(?:памят*|знаешь|помнишь)",
    "[اإ]نس[ىي]?|(?:احذف|امسح|أزل|شيل) .{0,40}(?:ذاكرت*|تعرف*|الذاكرة)",
    "(?<!אל )תשכח*|שכח[יו]?|(?:תמחק*|מחק*|תסיר*) .{0,40}(?:זיכרון|הזיכרון|יודע*|אמרתי)|שתשכח*",
    "(?<!đừng )(?<!chớ )quên (?:đi|việc|rằng|chuyện)|(?:xóa|xoá|bỏ) .{0,40}(?:bộ nhớ|biết|trí nhớ)",
  ),
  /(?<!मत )भूल जा(?!.{0,8}मत)|(?:मिटा|हटा).{0,6}(?:दो|दीजिए)|(?:メモリ|記憶|知って|こと|話).{0,20}(?:消して|削除して|忘れて)|忘れて(?!は|い|も|し|き)|(?:^|[,，。!！请請就你您]|可以|把.{1,20})忘(?:掉|记|記|了)(?!.{0,2}不)|(?:把|从).{0,20}(?:知道|记忆|記憶).{0,20}(?:删|刪|去掉|清除|抹)|不用再?[记記]|覚えなくて|기억하지 (?:않아|마)|잊어(?!.{0,4}지 ?(?:마|말))|(?:메모리|기억|아는).{0,12}(?:지워|삭제)/u,
);

/** Matches the beginning of a request to remember something in languages for whose facts there are no rules, and requests for later. */
const otherRememberRequest =
  /^(?:(?:onthoud|bewaar)(?: (?:even|dit|voor later|alsjeblieft))*(?: dat|:|,)?|zapamiętaj(?:,? że|:|,)?|na przyszłość[:,]|aklında olsun[,:]?|unutma[,:]|на будущее[:,]|تذكر[ي]? أن|احفظ(?:ي)? (?:للمستقبل )?أن|תזכור[י]? ש|(?:hãy )?(?:nhớ|ghi nhớ)(?: giúp| rằng| là)*(?: về sau)?:?|(?:나중을 위해 )?(?:기억해|알아) (?:둬|줘)[,:]?|याद (?:रखना|रखो|रखिए)(?: कि)?|आगे के लिए ध्यान रखना[,:]?|(?:for (?:the future|later|next time)|für (?:die zukunft|später)|pour (?:plus tard|la suite)|para (?:el futuro|más adelante|o futuro|mais tarde)|per (?:il futuro|dopo))[:,])\s*/iu;

/** Matches a request to remember at the end of a sentence. */
const otherRememberEnding = /(?:(?:ğunu|ğini|duğunu|diğini) unutma|(?:라고|다고)? ?기억해 ?(?:줘|주세요|둬))[.!]?$/u;

/** Returns the fact that a sentence asks to remember; undefined if it asks nothing. */
export function findRequestedFact(statement: string): string | undefined {
  const start = otherRememberRequest.exec(statement);
  if (start) return statement.slice(start[0].length);
  return otherRememberEnding.test(statement) ? statement.replace(otherRememberEnding, "") : undefined;
}

/** Returns true if a sentence asks to forget something. */
export const asksToForget = (statement: string): boolean =>
  otherRememberRequest.test(statement) ? false : forgetRequest.test(statement);

/** Matches statements that a fact no longer holds. */
const ended = either(
  words(
    "no longer|not any ?more|n['’]t .{1,40} any ?more|used to|nicht mehr|kein* .{1,30} mehr|ne .{1,20} plus|n['’]\\p{L}+ plus|ya no|non .{1,20} più|já não|não .{1,30} mais|niet meer|już nie|nie .{1,20} już|artık .{1,40}(?:değilim|m[ıiuü]yorum)|больше не|уже не|לא .{1,10}יותר|כבר לא|لم أعد|ما عدت|không còn",
  ),
  /अब .{1,20}नहीं|もう.{1,20}(?:ない|ません)|辞めて|不再|不当.{1,8}了|그만두|더 이상/u,
);

/** Returns true if a sentence says that something no longer holds. */
export const saysThatEnded = (statement: string): boolean => ended.test(statement);

/** Matches statements that hold only for one answer, text or exercise. */
const passing = either(
  words(
    "for (?:this|the next) (?:answer|reply|question|text|exercise|task|email|message)|in this (?:exercise|example|text|task|game|case)|(?:this|the) (?:first|second|third|fourth|last|next) (?:proposal|option|version|variant|draft|suggestion|idea)|the (?:first|second|third|fourth|last) one|no longer need to ask|without asking",
    "für diese (?:antwort|frage|aufgabe|übung)|in diese[rm] (?:übung|aufgabe|beispiel|text)|de[nr] (?:ersten?|zweiten?|dritten?|letzten?) vorschlag|die (?:erste|zweite|dritte|letzte) (?:variante|version|option)|nicht mehr (?:zu )?fragen",
    "pour cette (?:réponse|question)|dans cet (?:exercice|exemple)|la (?:première|deuxième|troisième|dernière) (?:proposition|option|version)|sólo para esta|para esta (?:respuesta|pregunta)|en este (?:ejercicio|ejemplo)|la (?:primera|segunda|tercera|última) (?:propuesta|opción|versión)",
    "per questa (?:risposta|domanda)|in questo (?:esercizio|esempio)|la (?:prima|seconda|terza|ultima) (?:proposta|opzione)|para esta resposta|neste (?:exercício|exemplo)|a (?:primeira|segunda|terceira|última) (?:proposta|opção)",
    "voor dit antwoord|in deze oefening|tylko w tej odpowiedzi|w tym (?:zadaniu|ćwiczeniu)|(?:birinci|ikinci|üçüncü|son) öneri\\p{L}*|(?:первый|второй|третий|последний) вариант|bu (?:cevap|yanıt|alıştırma)\\p{L}*|для этого ответа|в этом (?:упражнении|задании|примере)|cho câu trả lời này|trong bài tập này",
  ),
  /[一二三四]番目の案|この(?:回答|答え|問題|練習)|(?:这个|這個|这次|這次|本)(?:回答|练习|練習|题|題)|第[一二三四]个(?:方案|建议)|[한두세네] ?번째 (?:안|제안)|이번 답변|이 문제에서|इस (?:जवाब|उत्तर|अभ्यास)|لهذه الإجابة|في هذا التمرين|בתשובה הזאת|בתרגיל הזה/u,
);

/** Returns true if a text holds only for one answer, text or exercise, or chooses among proposals. */
export const isPassing = (text: string): boolean => passing.test(text);

/** Words for subjects of memories, by the topic of `statement-rules.ts`. */
const subjects: Readonly<Record<string, RegExp>> = {
  job: either(
    words(
      "jobs?|work|profession|employer|arbeit|beruf|job|travail|métier|trabajo|empleo|lavoro|emprego|trabalho|werk|baan|pracy|praca|iş*|работ*|عمل*|וظيفت*|עבודה|העבודה|công việc",
    ),
    /仕事|工作|직장|일자리|नौकरी|काम/u,
  ),
  home: words(
    "home|address|live|where I live|wohnort|wohne|adresse|habite|domicile|vivo|domicilio|abito|casa|moro|woon|adres|mieszkam|ev*|живу|адрес",
  ),
  name: words("name|namen|nom|prénom|nombre|nome|naam|imię|imienia|adım*|имя"),
  birthday: words(
    "birthday|birth ?date|date of birth|geburtstag*|anniversaire|naissance|cumpleaños|compleanno|aniversário|verjaardag|urodzin*|doğum*|день рождения",
  ),
};

/** Returns the beginnings of the words of a text, so that inflected forms are equal. */
const stems = (text: string): Set<string> =>
  new Set(
    (
      text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}|[\p{L}\p{N}]{4,}/gu) ?? []
    ).map((word) => word.slice(0, 5)),
  );

/** Returns true if a sentence, such as a request to forget, is about a memory: it names its topic or shares a rare word with it. */
export function isAboutMemory(statement: string, memory: string, topic: string | undefined): boolean {
  if (topic !== undefined && subjects[topic]?.test(statement)) return true;
  const stated = stems(statement);
  return [...stems(memory)].some((stem) => stated.has(stem));
}
