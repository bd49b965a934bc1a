import type { Memory } from "../api/memory/memories.ts";
import { either, words } from "./statement-words.ts";

const family = {
  en: "wife|husband|partner|girlfriend|boyfriend|fiancée?|daughter|son|child|kids?|children|baby|mother|mom|mum|father|dad|brother|sister|dog|cat|cats|dogs|horse|parrot",
  de: "frau|mann|partner(?:in)?|freundin|tochter|töchter|sohn|söhne|kind|kinder|mutter|vater|bruder|schwester|hund|hündin|katze|kater|pferd",
  fr: "femme|mari|compagne|compagnon|fille|filles|fils|enfants?|mère|père|frère|sœur|chien|chienne|chat|chatte",
  es: "mujer|esposa|marido|esposo|pareja|hij[oa]s?|madre|padre|herman[oa]|perr[oa]|gat[oa]",
  it: "moglie|marito|compagn[oa]|figli[oae]?|madre|padre|fratello|sorella|cane|gatt[oa]",
  pt: "mulher|esposa|marido|namorad[oa]|filh[oa]s?|mãe|pai|irmã|irmão|cão|cadela|cachorr[oa]|gat[oa]",
  ru: "жен[аы]|жену|муж|мужа|сын|сына|дочь|дочери|дочку|ребён\\p{L}*|дет\\p{L}+|мам[аы]|отец|отца|брат|брата|сестр\\p{L}+|собак\\p{L}+|кот|кота|кошк\\p{L}+",
  ja: "(?:妻|夫|娘|息子|子供|子ども|母|父|兄|弟|姉|妹|犬|猫)",
  zh: "(?:妻子|老婆|丈夫|老公|女儿|女兒|儿子|兒子|孩子|妈妈|爸爸|哥哥|弟弟|姐姐|妹妹|狗|猫|貓)",
} as const;

const jobs = {
  en: "\\p{L}*(?:er|or|ist|ian|eer|man|woman)|nurse|chef|pilot|architect|coach|clerk|judge|accountant|student|assistant|consultant|dentist|lawyer|vet|cook|CEO|CTO|CFO|intern",
  de: "(?:lehrer|ingenieur|arzt|ärztin|krankenschwester|krankenpfleger|pfleger|koch|köchin|bäcker|anwalt|anwältin|student|rentner|verkäufer|mechaniker|tischler|maler|architekt|informatiker|entwickler|buchhalter|polizist|fahrer|landwirt|hebamme|erzieher|beamte|zahnarzt|apotheker|elektriker|journalist|übersetzer)(?:in)?",
  fr: "infirmi(?:er|ère)|médecin|professeure?|enseignante?|institut(?:eur|rice)|ingénieure?|avocate?|comptable|étudiante?|retraitée?|boulang(?:er|ère)|cuisini(?:er|ère)|architecte|développeu(?:r|se)|vendeu(?:r|se)|mécanicien(?:ne)?|pharmacien(?:ne)?|dentiste|journaliste|traduct(?:eur|rice)|électricien(?:ne)?|plombi(?:er|ère)|chauffeur|agricult(?:eur|rice)",
  es: "profesora?|maestr[oa]|médic[oa]|doctora?|enfermer[oa]|ingenier[oa]|abogad[oa]|contable|contadora?|estudiante|jubilad[oa]|cociner[oa]|panader[oa]|arquitect[oa]|programadora?|desarrolladora?|vendedora?|mecánic[oa]|dentista|periodista|traductora?|electricista|taxista|camarer[oa]|agricultora?|pintora?|músic[oa]|conductora?",
  it: "professore(?:ssa)?|insegnante|maestr[oa]|medico|dottore(?:ssa)?|infermier[ea]|ingegnere|avvocat[oa]|contabile|studente(?:ssa)?|pensionat[oa]|cuoc[oa]|panettier[ea]|architetto|geometra|programmat(?:ore|rice)|svilupp?at(?:ore|rice)|commess[oa]|meccanico|dentista|giornalista|tradutt(?:ore|rice)|elettricista|autista|agricolt(?:ore|rice)|musicista|farmacista|operai[oa]",
  pt: "professora?|médic[oa]|enfermeir[oa]|engenheir[oa]|advogad[oa]|contabilista|contadora?|estudante|reformad[oa]|aposentad[oa]|cozinheir[oa]|padeir[oa]|arquitet[oa]|programadora?|desenvolvedora?|vendedora?|mecânic[oa]|dentista|jornalista|tradutora?|eletricista|motorista|agricultora?|músic[oa]|pedreir[oa]|farmacêutic[oa]",
  ru: "врач|медсестра|учитель(?:ница)?|преподаватель|инженер|программист(?:ка)?|юрист|адвокат|бухгалтер|студент(?:ка)?|пенсионер(?:ка)?|повар|архитектор|водитель|журналист(?:ка)?|переводчи(?:к|ца)|строитель|электрик|механик|художни(?:к|ца)|музыкант|продавец|фармацевт|дизайнер",
} as const;

/** Rule that recognizes a lasting statement of a user. */
export interface StatementRule {
  readonly category: Memory["category"];
  /** Subject for which a user has only one fact, such as the home. */
  readonly topic?: string;
  readonly pattern: RegExp;
}

/** Rules for lasting statements. The first rule that matches determines category and topic. */
export const statementRules: readonly StatementRule[] = [
  {
    category: "profile",
    topic: "name",
    pattern: either(
      words(
        "my name is|call me (?!back|later|when|if|a |on )\\p{L}*|ich heiße|mein name ist|je m['’]appelle|mon (?:nom|prénom) est|me llamo|mi nombre es|mi chiamo|il mio nome è|chamo-me|me chamo|(?:o )?meu nome é|меня зовут|мо[её] имя",
      ),
      /^(?:私の)?名前は|といいます|と申します|我叫|我的名字/u,
    ),
  },
  {
    category: "profile",
    topic: "home",
    pattern: either(
      words(
        "ik woon|wij wonen|mieszkam|yaşıyorum|oturuyorum|أسكن|أعيش في|אני גרה?|(?:tôi|mình|em) (?:sống|ở)",
        "I(?:['’]ve| have)? (?:now |just |currently )?(?:live|moved|relocated|am based|grew up) (?:in|to|near|on)|I['’]m based in|we (?:live|moved) (?:in|to|near)",
        "ich (?:wohne|lebe)|wohne ich|lebe ich|wir (?:wohnen|leben)|ich (?:bin|komme) .{0,40}(?:gezogen|umgezogen)",
        "j['’]habite|je vis (?:à|en|au|dans|près)|nous (?:habitons|vivons)|j['’]ai déménagé|je suis installée?",
        "vivo en|vivimos en|resido en|me (?:he mudado|mudé) a",
        "abito (?:a|in|vicino|con)|vivo (?:a|in|vicino)|abitiamo|viviamo|mi sono trasferit[oa]",
        "moro (?:em|no|na|nos|perto|com)|vivo (?:em|no|na|perto)|moramos|mudei-me|me mudei|resido em",
        "я (?:теперь |сейчас |давно )?(?:живу|переехала?)|мы (?:живём|живем|переехали)|живу в",
      ),
      /에 살(?:아요|고|습니다|아)|में रहत[ाी]|に(?:住んでい|住んでる|引っ越し)|在住です|暮らしてい|我(?:现在|們|们|家)?(?:住在|搬到|搬去)/u,
    ),
  },
  {
    category: "profile",
    topic: "origin",
    pattern: either(
      words(
        "I(?:['’]m| am) (?:originally )?from|ich (?:komme|stamme) (?:ursprünglich )?aus(?! (?:de[mr]|einer?m?|meine[rm])(?!\\p{L}))|je suis originaire",
        "soy de(?! (?:los|las|la|el|acuerdo)(?!\\p{L}))|vengo de(?! (?:\\p{L}+r|la|el|mi|una?)(?!\\p{L}))|vengo da(?! (?:una?|mi[oa]|casa)(?!\\p{L}))",
        "venho d[eoa](?! (?:trabalho|casa)(?!\\p{L}))|sou de(?! acordo(?!\\p{L}))|я (?:родом )?из",
      ),
      /^(?:[^はが]{0,12}|私は.{1,12})出身|我来自|我來自/u,
    ),
  },
  {
    category: "profile",
    topic: "native language",
    pattern: either(
      words(
        "(?:native language|mother tongue|first language) is|muttersprache ist|langue maternelle est|(?:lengua materna|idioma materno) es|(?:lingua madre|madrelingua) è|língua materna é|родной язык",
      ),
      /^(?:私の)?母(?:国)?語は|我的?母语/u,
    ),
  },
  {
    category: "profile",
    topic: "birthday",
    pattern: either(
      words(
        "my birthday is|I was born (?:on|in)|mein geburtstag|ich habe am .{0,20} geburtstag|(?:ich )?bin .{0,30}geboren|mon anniversaire|je suis née?|mi cumpleaños|nací (?:el|en)|il mio compleanno|compio gli anni|sono nat[oa]|(?:o )?meu aniversário|faço anos|nasci|мой день рождения|я родил(?:ся|ась)|у меня день рождения",
      ),
      /誕生日は|年生まれ|月生まれ|我的?生日/u,
    ),
  },
  {
    category: "profile",
    topic: "age",
    pattern: either(
      words(
        "I(?:['’]m| am) \\d{1,3} years old|ich bin \\S{1,20} jahre alt|j['’]ai \\S{1,20} ans|tengo \\S{1,20} años|ho \\S{1,20} anni|tenho \\S{1,20} anos|мне \\S{1,20} (?:лет|год|года)",
      ),
      /^(?:私は)?\d{1,3}歳|我今?年?\d{1,3}岁/u,
    ),
  },
  {
    category: "profile",
    topic: "job",
    pattern: either(
      words(
        `I (?:now |currently |also )?(?:work|teach|study|freelance)(?: (?:nights|days|weekends|part[- ]time|full[- ]time))? (?:as|at|for|in|with|on|from)|I(?:['’]m| am) an? (?!bit|little|lot|few|fan|newcomer|beginner|member|loser|user|customer|person)(?:[\\p{L}-]+ ){0,3}(?:${jobs.en})|I(?:['’]m| am) (?:retired|self-employed|responsible for)|my (?:job|profession|occupation|employer|role|title) is|I (?:run|own) an?|and work as`,
        `ich (?:arbeite|studiere|unterrichte|leite)|arbeite ich|ich bin (?:eine? )?(?:\\p{L}+e[rs]? )?(?:${jobs.de})|von beruf|mein beruf|mein arbeitgeber|ich bin selbstständig|und arbeite (?:als|bei|in)`,
        `je travaille (?:à|chez|comme|pour|dans|en|de)|j['’]enseigne|j['’]étudie|je suis (?:${jobs.fr})|mon (?:métier|employeur)`,
        `trabajo (?:en|como|para|de|desde)|estudio(?! (?:un|una|el|la|para)(?!\\p{L}))|soy (?:${jobs.es})|mi (?:profesión|trabajo) es`,
        `lavoro (?:come|in|a|per|presso|da)|faccio (?:il|la|l['’])|insegno|sono (?:una? )?(?:${jobs.it})|studio (?:\\p{L}+ )?a|la mia professione`,
        `trabalho (?:em|como|para|no|na|de|num)|sou (?:${jobs.pt})|estudo(?! (?:para)(?!\\p{L}))|dou aulas|a minha profissão`,
        "ik werk (?:als|bij|in|op|voor)|ik ben (?:\\p{L}+ )?\\p{L}{5,} in|(?:nu|een) (?:\\p{L}+ )?\\p{L}{3,}(?:man|er|ster|aar)|pracuję|jestem (?:teraz )?(?:\\p{L}+)em|\\p{L}+ (?:olarak )?çalış[ıi]yorum|أعمل|אני עובדת?|(?:làm|dạy) .{1,24} ở|làm ở",
        `я (?:работаю|преподаю|учусь|служу)|работаю|я (?:\\p{L}+(?:ый|ий|ой|ая|яя) )?(?:${jobs.ru})|по профессии`,
      ),
      /로 일(?:해|하|합)|में .{1,20}(?:चलात|करत|पढ़ात|पढात)[ाी] हूँ|で.{1,8}をしています|我在.{1,8}(?:开|做|当|卖|教)|(?:として|で|に)(?:働いてい|勤めてい|勤務してい)|私は.{1,12}(?:師|士|員|医|者|家|学生|エンジニア|デザイナー|教師)です|^[^はがもを]{0,16}(?:師|士|員|医|者|家|エンジニア|デザイナー|プログラマー)です|仕事は|職業は|我(?:是|在.{1,12})(?:一名|一个|個)?.{0,8}(?:老师|老師|医生|醫生|护士|護士|工程师|工程師|律师|律師|学生|學生|程序员|厨师|会计|司机|设计师|记者|译者|翻译|作家|教授|经理|自由职业者|工作|上班)/u,
    ),
  },
  {
    category: "profile",
    pattern: either(
      words(
        "allergi[ck]|allergic to|(?:lactose|gluten)[- ]?(?:intolerant|free)|coeliac|celiac|vegetarian|vegan|pescatarian|diabetic|colou?r[- ]?blind|left-handed|dyslexic|pregnant|wheelchair",
        "allergisch|allergie|unverträglichkeit|vegetarier(?:in)?|veganer(?:in)?|vegetarisch|vegan|diabetiker(?:in)?|farbenblind|linkshänder(?:in)?|schwanger|zöliakie",
        "allergique|allergie|intoléran(?:t|te|ce)|végétarien(?:ne)?|végane|diabétique|daltonien(?:ne)?|gauch(?:er|ère)|enceinte|cœliaque",
        "alérgic[oa]|alergia|intolerante|intolerancia|vegetarian[oa]|vegan[oa]|celíac[oa]|diabétic[oa]|daltónic[oa]|zurd[oa]|embarazada",
        "allergic[oa]|allergia|intollerante|vegetarian[oa]|vegan[oa]|celiac[oa]|diabetic[oa]|daltonic[oa]|mancin[oa]|incinta",
        "alérgic[oa]|alergia|vegetarian[oa]|celíac[oa]|diabétic[oa]|daltônic[oa]|canhot[oa]|grávida|intolerância",
        "allerg\\p{L}*|alergi\\p{L}*|alerji\\p{L}*|wegetarian\\p{L}*|vejetaryen\\p{L}*|vegetariër|حساسية|نباتي\\p{L}*|אלרגי\\p{L}*|צמחוני\\p{L}*|dị ứng|ăn chay",
        "аллергия|непереносимость|вегетариан(?:ец|ка)|веган(?:ка)?|диабет\\p{L}*|дальтоник|левша|беременна",
        "I(?:['’]m| am) (?:\\p{L}+ )?(?:deaf|blind|hard of hearing|autistic)|ich bin (?:\\p{L}+ )?(?:gehörlos|blind|schwerhörig|sehbehindert)|je suis (?:sourde?|aveugle|malentendante?|malvoyante?)",
        "soy (?:sord[oa]|cieg[oa])|sono (?:sord[oa]|cec[oa]|ipovedente)|sou (?:surd[oa]|ceg[oa])|я (?:глух|слеп)(?:ой|ая)",
        "I use a screen ?reader|ich (?:nutze|benutze|verwende) einen screen ?reader|lecteur d['’]écran|lector de pantalla|lettore di schermo|leitor de (?:ecrã|tela)",
        "I (?:don['’]t|do not|can['’]t|cannot|never) (?:eat|drink|smoke|drive)|ich (?:esse|trinke|vertrage|rauche|fahre) (?:kein\\p{L}*|nie)|je ne (?:mange|bois|supporte|fume|conduis)|no (?:como|bebo|tomo|puedo comer|puedo beber|fumo)|non (?:mangio|bevo|posso mangiare|tollero|fumo|guido)|não (?:como|bebo|posso comer|fumo)|я не (?:ем|пью|курю)",
      ),
      /アレルギー|(?:食べ|飲め|食べられ)(?:ない|ません)|飲みません|ベジタリアン|ヴィーガン|糖尿病|左利き|色覚|妊娠|我(?:不|不能|從不|从不)(?:吃|喝|抽烟)|过敏|過敏|素食|吃素|左撇子|色盲|怀孕/u,
    ),
  },
  {
    category: "profile",
    pattern: either(
      words(
        `(?:my|our) (?:${family.en})(?:['’]s name)?(?: \\p{L}+)? (?:is (?:called|named|an?|\\d|\\p{L}+ years old)|are (?:called|named|\\d)|starts|goes to|lives|works|was born)|my (?:${family.en})['’]s name is|I have (?:an?|one|two|three|four|five|\\d) (?:\\p{L}+ )?(?:${family.en}|sons|daughters|brothers|sisters)|I(?:['’]m| am) (?:married|divorced|widowed|single)`,
        `(?:mein|meine|unser|unsere|unsre) (?:${family.de}) (?:heißt|heißen|ist (?:ein|\\d|\\p{L}+ jahre)|wohnt|arbeitet|geht|hat|kommt in|\\p{L}+ (?:ist|geht|kommt|wohnt))|ich habe (?:ein\\p{L}*|zwei|drei|vier|\\d) (?:\\p{L}+ )?(?:${family.de}|hunde|katzen|brüder|schwestern)|ich bin (?:verheiratet|geschieden|verwitwet)`,
        `(?:mon|ma|mes|notre|nos) (?:${family.fr}) (?:s['’]appelle(?:nt)?|a \\S{1,12} ans|est|habite|travaille)|j['’]ai (?:une?|deux|trois|quatre|\\d) (?:${family.fr}|chiens|chats|frères|sœurs)|je suis (?:mariée?|divorcée?|veu(?:f|ve))`,
        `(?:mi|mis|nuestr[oa]s?) (?:${family.es}) (?:se llaman?|tienen?|vive|trabaja|es)|tengo (?:una?|un|dos|tres|cuatro|\\d) (?:${family.es}|hermanos|perros|gatos)|estoy (?:casad[oa]|divorciad[oa])`,
        `(?:mio|mia|miei|mie|nostr[oa]) (?:${family.it}) (?:si chiama(?:no)?|ha \\S{1,12} anni|vive|lavora|abita)|ho (?:una?|un|due|tre|quattro|\\d) (?:${family.it}|figli|fratelli|sorelle|cani|gatti)|sono (?:sposat[oa]|divorziat[oa])`,
        `(?:meu|minha|meus|minhas|noss[oa]) (?:${family.pt}) (?:chama-se|se chama|chamam-se|tem|vive|mora|trabalha)|tenho (?:uma?|um|dois|duas|três|quatro|\\d) (?:${family.pt}|irmãos|cães|gatos|cachorros)|sou (?:casad[oa]|divorciad[oa])`,
        `(?:мою|моего|моих|мой|моя|нашу|нашего) (?:${family.ru}) (?:зовут|\\p{L}+ лет|живёт|живет|работает|учится)|у меня (?:есть )?(?:двое|трое|один|одна|два|две|три|\\d)? ?(?:${family.ru}|детей|сыновей|дочерей)|я (?:женат|замужем|разведён|разведена)`,
      ),
      new RegExp(
        `${family.ja}(?:の名前)?は.{1,20}(?:です|といいます)|${family.ja}(?:を飼って|が.{0,4}(?:います|いる))|結婚してい|我(?:的)?${family.zh}(?:的名字)?(?:叫|是|今年)|我有.{0,6}${family.zh}|我(?:已婚|结婚了|離婚|离婚)`,
        "u",
      ),
    ),
  },
  {
    category: "preference",
    pattern: either(
      words(
        "I (?:really |much |generally |usually |strongly |always )?(?:prefer|love|hate|dislike|enjoy|can['’]t stand|don['’]t like)(?! (?:this|it|that|you|how|when|the (?:answer|idea))(?!\\p{L}))|my favou?rite|I(?:['’]d| would) (?:always )?rather",
        "ich (?:bevorzuge|mag|hasse|liebe|trinke gern|esse gern)(?! (?:das|es|dich|wie)(?!\\p{L}))|am liebsten|meine? lieblings\\p{L}+|ich \\p{L}+ (?:sehr )?(?:gern|gerne|ungern|lieber)",
        "je préfère|j['’](?:adore|aime)(?! (?:bien quand|ça|ta|ton)(?!\\p{L}))|je (?:déteste|n['’]aime pas)(?! (?:ça)(?!\\p{L}))|mon \\p{L}+ préféré|ma \\p{L}+ préférée",
        "prefiero|me (?:gusta|encanta)n?(?! (?:eso|esto|tu)(?!\\p{L}))|odio(?! (?:eso|esto)(?!\\p{L}))|detesto|mi \\p{L}+ favorit[oa]",
        "preferisco|mi piacciono|mi piace(?! (?:questo|questa|così)(?!\\p{L}))|adoro|odio(?! (?:questo)(?!\\p{L}))|detesto|il mio \\p{L}+ preferito|la mia \\p{L}+ preferita",
        "prefiro|gosto (?:muito |mais )?d[eao]s?|adoro|odeio|detesto|(?:meu|minha) \\p{L}+ (?:favorit|preferid)[oa]",
        "я (?:очень |больше )?(?:люблю|предпочитаю|ненавижу|обожаю|не люблю)|мне (?:не |очень )?нрав(?:ится|ятся)(?! (?:это)(?!\\p{L}))|мо[йяё] любим\\p{L}+",
      ),
      /(?:が|のが|のほうが|の方が)(?:大?好き|嫌い|苦手|いい)(?:です|だ)?|は(?:あまり)?好き(?:では|じゃ)(?:ない|ありません)|を好み|我(?:很|最|比较|更|特别|非常)?(?:喜欢|不喜欢|爱喝|爱吃|讨厌|偏好)/u,
    ),
  },
  {
    category: "fact",
    pattern: either(
      words(
        "^(?:at (?:our|my) company,? )?(?:we|our (?:company|team|office|department|product|customers|fiscal year|stack)) (?:use|uses|work with|works with|is called|are called|is located|are based|is based|runs on|run on|starts in|closes|opens)",
        "^(?:wir|unsere? (?:firma|team|abteilung|unternehmen|büro)) (?:nutzt|nutzen|verwendet|verwenden|heißt|sitzt|arbeiten mit|arbeitet mit|ist in|hat)",
        "^(?:nous utilisons|notre (?:entreprise|équipe|société|bureau) (?:utilise|s['’]appelle|se trouve|est))",
        "^(?:(?:usamos|utilizamos)|nuestr[oa] (?:empresa|equipo|oficina) (?:usa|utiliza|se llama|está))",
        "^(?:(?:usiamo|utilizziamo)|la nostra (?:azienda|squadra) (?:usa|utilizza|si chiama|è))",
        "^(?:(?:usamos|utilizamos)|a nossa (?:empresa|equipa) (?:usa|utiliza|chama-se|fica))",
        "^(?:мы (?:используем|работаем с)|наша (?:компания|команда) (?:использует|называется|находится))",
      ),
      /^(?:弊社|当社|うちの会社|私たちの(?:会社|チーム))[はで].{1,40}(?:です|います|ます)|^(?:我们公司|我們公司|我们团队)(?:用|使用|在|叫|的)/u,
    ),
  },
  {
    // Corrections of the name of a person or animal, such as "my dog is called Bo, not Bob".
    category: "fact",
    pattern:
      /(?:called|named|name is|heißt|heet|wabi się|nazywa się|imię|adı|اسمه|اسمها|이름|tên|नाम|名前|叫).{1,30}(?:[,،、，] ?(?:not|nicht|niet|a nie|nie|không phải|وليس|а не|不是)|وليس|가 아니라|이 아니라|değil|नहीं|ではなく|而不是)/iu,
  },
];
