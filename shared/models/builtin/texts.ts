import type { ToolName } from "../../api/tools.ts";

/** Sentences from which the built-in model composes its answers, in one language. */
export interface BuiltinTexts {
  readonly greeting: string;
  readonly thanks: string;
  readonly farewell: string;
  /** Answer to the question of who the assistant is. */
  readonly self: string;
  readonly selfForVisitors: string;
  /** Sentence in front of the list of abilities. */
  readonly abilities: string;
  readonly quoting: string;
  readonly research: string;
  /** Sentence about the ability to use tools; `{tools}` stands for their descriptions. */
  readonly tools: string;
  readonly remembering: string;
  /** Descriptions of tools by name. */
  readonly toolNames: Readonly<Record<ToolName, string>>;
  /** Sentence in front of quotes; `{titles}` stands for the titles of their documents. */
  readonly found: string;
  readonly nothingFound: string;
  readonly nothingFoundForVisitors: string;
  readonly addDocuments: string;
  readonly onlyQuotes: string;
  readonly notSearched: string;
  /** Hint for the operator, shown once in a conversation. */
  readonly connectModel: string;
}

const en: BuiltinTexts = {
  greeting: "Hello! Ask me a question, or ask what I can do.",
  thanks: "You are welcome.",
  farewell: "Goodbye!",
  self: "I am the assistant of this Switchboard deployment. I run on the built-in model, which works offline: it quotes documents and makes nothing up.",
  selfForVisitors: "I am the assistant of this website. I answer questions with quotes from its documents.",
  abilities: "This is what I can do here:",
  quoting: "Quote passages from your knowledge collections and name the sources (tier THINKING and higher).",
  research: "Run several searches for one question and propose the result as a document (tier RESEARCH).",
  tools: "Use tools: {tools} (tier THOUGHT_PARTNER).",
  remembering: "Propose facts about you as memories, which I use once you accept them.",
  toolNames: {
    search_knowledge: "search knowledge",
    read_note: "read notes",
    create_note: "write notes",
    search_conversation: "search the conversation",
    search_memory: "search memories",
    propose_memory: "remember facts",
    calculate: "calculate",
    current_time: "tell the time",
    web_search: "search the web",
    read_page: "read web pages",
  },
  found: "This is what I found in {titles}:",
  nothingFound: "I found nothing in your knowledge about this:",
  nothingFoundForVisitors: "I found nothing about this:",
  addDocuments: "Documents that you add to a knowledge collection can be found from then on.",
  onlyQuotes: "I only quote from the documents that I have, and make nothing up.",
  notSearched:
    "I did not search your knowledge, because the tier QUICK answers without a search. Choose THINKING or a higher tier to search.",
  connectModel: "Set `MODEL_PROVIDER` to connect a language model that writes answers of its own.",
};

const de: BuiltinTexts = {
  greeting: "Hallo! Stellen Sie mir eine Frage, oder fragen Sie, was ich kann.",
  thanks: "Gern geschehen.",
  farewell: "Auf Wiedersehen!",
  self: "Ich bin der Assistent dieser Switchboard-Installation. Ich laufe mit dem eingebauten Modell, das offline arbeitet: Es zitiert Dokumente und erfindet nichts.",
  selfForVisitors: "Ich bin der Assistent dieser Website. Ich beantworte Fragen mit Zitaten aus ihren Dokumenten.",
  abilities: "Das kann ich hier:",
  quoting: "Passagen aus Ihren Wissenssammlungen zitieren und die Quellen nennen (ab Stufe THINKING).",
  research: "Zu einer Frage mehrere Suchen durchführen und das Ergebnis als Dokument vorschlagen (Stufe RESEARCH).",
  tools: "Werkzeuge benutzen: {tools} (Stufe THOUGHT_PARTNER).",
  remembering: "Fakten über Sie als Erinnerungen vorschlagen, die ich nutze, sobald Sie zustimmen.",
  toolNames: {
    search_knowledge: "Wissen durchsuchen",
    read_note: "Notizen lesen",
    create_note: "Notizen schreiben",
    search_conversation: "das Gespräch durchsuchen",
    search_memory: "Erinnerungen durchsuchen",
    propose_memory: "Fakten merken",
    calculate: "rechnen",
    current_time: "die Zeit nennen",
    web_search: "im Web suchen",
    read_page: "Webseiten lesen",
  },
  found: "Das habe ich in {titles} gefunden:",
  nothingFound: "Dazu habe ich in Ihrem Wissen nichts gefunden:",
  nothingFoundForVisitors: "Dazu habe ich nichts gefunden:",
  addDocuments: "Dokumente, die Sie einer Wissenssammlung hinzufügen, werden ab dann gefunden.",
  onlyQuotes: "Ich zitiere nur aus den Dokumenten, die ich habe, und erfinde nichts.",
  notSearched:
    "Ich habe Ihr Wissen nicht durchsucht, weil die Stufe QUICK ohne Suche antwortet. Mit THINKING oder einer höheren Stufe wird gesucht.",
  connectModel: "Mit `MODEL_PROVIDER` verbinden Sie ein Sprachmodell, das eigene Antworten schreibt.",
};

const es: BuiltinTexts = {
  greeting: "¡Hola! Hágame una pregunta o pregunte qué puedo hacer.",
  thanks: "De nada.",
  farewell: "¡Hasta luego!",
  self: "Soy el asistente de esta instalación de Switchboard. Uso el modelo integrado, que funciona sin conexión: cita documentos y no inventa nada.",
  selfForVisitors: "Soy el asistente de este sitio web. Respondo con citas de sus documentos.",
  abilities: "Esto es lo que puedo hacer aquí:",
  quoting: "Citar pasajes de sus colecciones de conocimiento y nombrar las fuentes (desde el nivel THINKING).",
  research: "Hacer varias búsquedas para una pregunta y proponer el resultado como documento (nivel RESEARCH).",
  tools: "Usar herramientas: {tools} (nivel THOUGHT_PARTNER).",
  remembering: "Proponer datos sobre usted como recuerdos, que uso cuando los acepta.",
  toolNames: {
    search_knowledge: "buscar en el conocimiento",
    read_note: "leer notas",
    create_note: "escribir notas",
    search_conversation: "buscar en la conversación",
    search_memory: "buscar recuerdos",
    propose_memory: "recordar datos",
    calculate: "calcular",
    current_time: "decir la hora",
    web_search: "buscar en la web",
    read_page: "leer páginas web",
  },
  found: "Esto es lo que encontré en {titles}:",
  nothingFound: "No encontré nada sobre esto en su conocimiento:",
  nothingFoundForVisitors: "No encontré nada sobre esto:",
  addDocuments: "Los documentos que añada a una colección se podrán encontrar desde entonces.",
  onlyQuotes: "Solo cito los documentos que tengo y no invento nada.",
  notSearched:
    "No busqué en su conocimiento, porque el nivel QUICK responde sin búsqueda. Elija THINKING o un nivel superior para buscar.",
  connectModel: "Con `MODEL_PROVIDER` se conecta un modelo de lenguaje que escribe sus propias respuestas.",
};

const fr: BuiltinTexts = {
  greeting: "Bonjour ! Posez-moi une question, ou demandez-moi ce que je sais faire.",
  thanks: "Je vous en prie.",
  farewell: "Au revoir !",
  self: "Je suis l’assistant de cette installation de Switchboard. J’utilise le modèle intégré, qui fonctionne hors ligne : il cite des documents et n’invente rien.",
  selfForVisitors: "Je suis l’assistant de ce site. Je réponds par des citations de ses documents.",
  abilities: "Voici ce que je sais faire ici :",
  quoting:
    "Citer des passages de vos collections de connaissances et nommer les sources (à partir du niveau THINKING).",
  research: "Lancer plusieurs recherches pour une question et proposer le résultat comme document (niveau RESEARCH).",
  tools: "Utiliser des outils : {tools} (niveau THOUGHT_PARTNER).",
  remembering: "Proposer des faits à votre sujet comme souvenirs, que j’utilise dès que vous les acceptez.",
  toolNames: {
    search_knowledge: "chercher dans les connaissances",
    read_note: "lire des notes",
    create_note: "écrire des notes",
    search_conversation: "chercher dans la conversation",
    search_memory: "chercher dans les souvenirs",
    propose_memory: "retenir des faits",
    calculate: "calculer",
    current_time: "donner l’heure",
    web_search: "chercher sur le web",
    read_page: "lire des pages web",
  },
  found: "Voici ce que j’ai trouvé dans {titles} :",
  nothingFound: "Je n’ai rien trouvé à ce sujet dans vos connaissances :",
  nothingFoundForVisitors: "Je n’ai rien trouvé à ce sujet :",
  addDocuments: "Les documents que vous ajoutez à une collection seront trouvés par la suite.",
  onlyQuotes: "Je cite seulement les documents dont je dispose et n’invente rien.",
  notSearched:
    "Je n’ai pas cherché dans vos connaissances, car le niveau QUICK répond sans recherche. Choisissez THINKING ou un niveau supérieur pour chercher.",
  connectModel: "Avec `MODEL_PROVIDER`, vous connectez un modèle de langage qui rédige ses propres réponses.",
};

const it: BuiltinTexts = {
  greeting: "Ciao! Mi faccia una domanda, oppure chieda che cosa so fare.",
  thanks: "Prego.",
  farewell: "Arrivederci!",
  self: "Sono l’assistente di questa installazione di Switchboard. Uso il modello integrato, che funziona offline: cita documenti e non inventa nulla.",
  selfForVisitors: "Sono l’assistente di questo sito. Rispondo con citazioni dai suoi documenti.",
  abilities: "Ecco che cosa so fare qui:",
  quoting: "Citare passaggi dalle sue raccolte di conoscenza e indicare le fonti (dal livello THINKING).",
  research: "Fare più ricerche per una domanda e proporre il risultato come documento (livello RESEARCH).",
  tools: "Usare strumenti: {tools} (livello THOUGHT_PARTNER).",
  remembering: "Proporre fatti su di lei come ricordi, che uso quando li accetta.",
  toolNames: {
    search_knowledge: "cercare nelle conoscenze",
    read_note: "leggere note",
    create_note: "scrivere note",
    search_conversation: "cercare nella conversazione",
    search_memory: "cercare nei ricordi",
    propose_memory: "ricordare fatti",
    calculate: "calcolare",
    current_time: "dire l’ora",
    web_search: "cercare sul web",
    read_page: "leggere pagine web",
  },
  found: "Ecco che cosa ho trovato in {titles}:",
  nothingFound: "Non ho trovato nulla su questo nelle sue conoscenze:",
  nothingFoundForVisitors: "Non ho trovato nulla su questo:",
  addDocuments: "I documenti che aggiunge a una raccolta si potranno trovare da quel momento.",
  onlyQuotes: "Cito solo i documenti che ho e non invento nulla.",
  notSearched:
    "Non ho cercato nelle sue conoscenze, perché il livello QUICK risponde senza ricerca. Scelga THINKING o un livello superiore per cercare.",
  connectModel: "Con `MODEL_PROVIDER` si collega un modello linguistico che scrive risposte proprie.",
};

const pt: BuiltinTexts = {
  greeting: "Olá! Faça-me uma pergunta ou pergunte o que sei fazer.",
  thanks: "De nada.",
  farewell: "Até logo!",
  self: "Sou o assistente desta instalação do Switchboard. Uso o modelo integrado, que funciona offline: cita documentos e não inventa nada.",
  selfForVisitors: "Sou o assistente deste site. Respondo com citações dos seus documentos.",
  abilities: "Isto é o que sei fazer aqui:",
  quoting: "Citar passagens das suas coleções de conhecimento e indicar as fontes (a partir do nível THINKING).",
  research: "Fazer várias pesquisas para uma pergunta e propor o resultado como documento (nível RESEARCH).",
  tools: "Usar ferramentas: {tools} (nível THOUGHT_PARTNER).",
  remembering: "Propor factos sobre si como memórias, que uso depois de os aceitar.",
  toolNames: {
    search_knowledge: "pesquisar conhecimento",
    read_note: "ler notas",
    create_note: "escrever notas",
    search_conversation: "pesquisar na conversa",
    search_memory: "pesquisar memórias",
    propose_memory: "memorizar factos",
    calculate: "calcular",
    current_time: "dizer as horas",
    web_search: "pesquisar na web",
    read_page: "ler páginas da web",
  },
  found: "Isto é o que encontrei em {titles}:",
  nothingFound: "Não encontrei nada sobre isto no seu conhecimento:",
  nothingFoundForVisitors: "Não encontrei nada sobre isto:",
  addDocuments: "Os documentos que adicionar a uma coleção poderão ser encontrados a partir de então.",
  onlyQuotes: "Cito apenas os documentos que tenho e não invento nada.",
  notSearched:
    "Não pesquisei o seu conhecimento, porque o nível QUICK responde sem pesquisa. Escolha THINKING ou um nível superior para pesquisar.",
  connectModel: "Com `MODEL_PROVIDER`, liga um modelo de linguagem que escreve respostas próprias.",
};

const builtinTexts: Readonly<Record<string, BuiltinTexts>> = { en, de, es, fr, it, pt };

/** Languages that the built-in model answers in. */
export const builtinLanguages = Object.keys(builtinTexts);

/** Returns the texts in a language; English for languages without texts. */
export const textsFor = (language: string): BuiltinTexts => builtinTexts[language] ?? en;
