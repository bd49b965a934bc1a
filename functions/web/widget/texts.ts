/** User interface texts of the widget. `{…}` marks placeholders. */
export interface Texts {
  readonly open: string;
  readonly close: string;
  readonly startNew: string;
  readonly subtitle: string;
  readonly greeting: string;
  readonly conversation: string;
  readonly you: string;
  readonly placeholder: string;
  readonly send: string;
  readonly stop: string;
  readonly retry: string;
  readonly copy: string;
  readonly copied: string;
  readonly latest: string;
  readonly sources: string;
  readonly chart: string;
  readonly loading: string;
  readonly answering: string;
  readonly stopped: string;
  readonly incomplete: string;
  readonly hint: string;
  /** Error messages for visitors. */
  readonly errors: {
    readonly offline: string;
    readonly reconnecting: string;
    readonly network: string;
    readonly server: string;
    readonly unavailable: string;
    readonly origin: string;
    readonly expired: string;
    readonly full: string;
    readonly busy: string;
  };
}

const en: Texts = {
  open: "Open chat",
  close: "Close chat",
  startNew: "Start a new conversation",
  subtitle: "AI assistant",
  greeting: "Hello! How can I help?",
  conversation: "Conversation",
  you: "You",
  placeholder: "Write a message",
  send: "Send",
  stop: "Stop",
  retry: "Try again",
  copy: "Copy",
  copied: "Copied",
  latest: "Latest message",
  sources: "Sources",
  chart: "Chart",
  loading: "Loading the conversation",
  answering: "{name} is answering",
  stopped: "Stopped",
  incomplete: "The answer is not complete.",
  hint: "Answers are written by an AI and can be wrong.",
  errors: {
    offline: "You are offline. The conversation goes on as soon as you are back.",
    reconnecting: "The connection was lost. Reconnecting…",
    network: "The chat cannot be reached at the moment.",
    server: "That did not work. Please try again.",
    unavailable: "This chat is not available at the moment.",
    origin: "This chat is not available on this website.",
    expired: "This conversation has expired.",
    full: "This conversation has reached its limit.",
    busy: "That was a lot at once. Please try again in {time}.",
  },
};

const de: Texts = {
  open: "Chat öffnen",
  close: "Chat schließen",
  startNew: "Neues Gespräch beginnen",
  subtitle: "KI-Assistent",
  greeting: "Hallo! Wie kann ich helfen?",
  conversation: "Gespräch",
  you: "Sie",
  placeholder: "Nachricht schreiben",
  send: "Senden",
  stop: "Anhalten",
  retry: "Noch einmal versuchen",
  copy: "Kopieren",
  copied: "Kopiert",
  latest: "Neueste Nachricht",
  sources: "Quellen",
  chart: "Diagramm",
  loading: "Das Gespräch wird geladen",
  answering: "{name} antwortet",
  stopped: "Angehalten",
  incomplete: "Die Antwort ist nicht vollständig.",
  hint: "Die Antworten schreibt eine KI; sie können falsch sein.",
  errors: {
    offline: "Sie sind offline. Das Gespräch geht weiter, sobald Sie wieder verbunden sind.",
    reconnecting: "Die Verbindung ist abgebrochen und wird wiederhergestellt …",
    network: "Der Chat ist gerade nicht erreichbar.",
    server: "Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.",
    unavailable: "Dieser Chat ist gerade nicht verfügbar.",
    origin: "Dieser Chat ist auf dieser Website nicht verfügbar.",
    expired: "Dieses Gespräch ist abgelaufen.",
    full: "Dieses Gespräch hat seine Grenze erreicht.",
    busy: "Das war viel auf einmal. Bitte versuchen Sie es in {time} wieder.",
  },
};

const es: Texts = {
  open: "Abrir el chat",
  close: "Cerrar el chat",
  startNew: "Empezar otra conversación",
  subtitle: "Asistente de IA",
  greeting: "¡Hola! ¿En qué puedo ayudarle?",
  conversation: "Conversación",
  you: "Usted",
  placeholder: "Escriba un mensaje",
  send: "Enviar",
  stop: "Detener",
  retry: "Volver a intentar",
  copy: "Copiar",
  copied: "Copiado",
  latest: "Último mensaje",
  sources: "Fuentes",
  chart: "Gráfico",
  loading: "Cargando la conversación",
  answering: "{name} está respondiendo",
  stopped: "Detenido",
  incomplete: "La respuesta no está completa.",
  hint: "Las respuestas las escribe una IA y pueden ser erróneas.",
  errors: {
    offline: "No hay conexión a Internet. La conversación seguirá en cuanto vuelva.",
    reconnecting: "Se perdió la conexión. Conectando de nuevo…",
    network: "No se puede acceder al chat en este momento.",
    server: "No ha funcionado. Vuelva a intentarlo, por favor.",
    unavailable: "Este chat no está disponible en este momento.",
    origin: "Este chat no está disponible en este sitio web.",
    expired: "Esta conversación ha caducado.",
    full: "Esta conversación ha llegado a su límite.",
    busy: "Han sido muchos mensajes a la vez. Vuelva a intentarlo en {time}.",
  },
};

const ja: Texts = {
  open: "チャットを開く",
  close: "チャットを閉じる",
  startNew: "新しい会話を始める",
  subtitle: "AIアシスタント",
  greeting: "こんにちは。ご用件をお聞かせください。",
  conversation: "会話",
  you: "あなた",
  placeholder: "メッセージを入力",
  send: "送信",
  stop: "停止",
  retry: "もう一度試す",
  copy: "コピー",
  copied: "コピーしました",
  latest: "最新のメッセージ",
  sources: "出典",
  chart: "グラフ",
  loading: "会話を読み込んでいます",
  answering: "{name}が回答しています",
  stopped: "停止しました",
  incomplete: "回答は途中で終わっています。",
  hint: "回答はAIが作成しており、誤りを含むことがあります。",
  errors: {
    offline: "オフラインです。接続が戻ると会話が続きます。",
    reconnecting: "接続が切れました。再接続しています…",
    network: "現在チャットに接続できません。",
    server: "うまくいきませんでした。もう一度お試しください。",
    unavailable: "現在このチャットはご利用いただけません。",
    origin: "このウェブサイトではこのチャットをご利用いただけません。",
    expired: "この会話は有効期限が切れました。",
    full: "この会話は上限に達しました。",
    busy: "短時間に多くの送信がありました。{time}後にもう一度お試しください。",
  },
};

const languages: Readonly<Record<string, Texts>> = { en, de, es, ja };

/** Normalizes a locale such as `de-AT` or `de_AT` for `Intl`. Returns `en` for invalid locales. */
export function localeOf(name: string): string {
  try {
    return new Intl.Locale(name.trim().replaceAll("_", "-")).toString();
  } catch {
    return "en";
  }
}

/** Returns the texts for a locale such as `de-AT`; English for languages without texts. */
export function textsFor(locale: string): Texts {
  return languages[locale.toLowerCase().split("-")[0] ?? ""] ?? en;
}

const rightToLeft = /^(ar|dv|fa|he|ks|ku|ps|sd|ug|ur|yi)(-|$)/i;

/** Returns the writing direction of a locale. */
export function directionOf(locale: string): "ltr" | "rtl" {
  return rightToLeft.test(locale) ? "rtl" : "ltr";
}

/** Replaces the placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Formats a duration for a locale, in the largest fitting unit. */
export function duration(seconds: number, locale: string): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, "second"] : seconds < 5_400 ? [seconds / 60, "minute"] : [seconds / 3_600, "hour"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Math.ceil(amount));
}
