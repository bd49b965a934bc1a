const safeScheme = /^(?:https?|mailto|tel|sms):/i;

/** Returns true for a URL to which a text of a model can link: without a scheme that runs scripts or opens files. */
export const isSafeUrl = (url: string): boolean => url !== "" && (safeScheme.test(url) || !/^[^/?#]*:/.test(url));

/** Attributes of a link that a model or a source wrote. */
export const linkAttributes = { target: "_blank", rel: "noopener noreferrer nofollow ugc" };
