const MARK = '; next: ';

/** What went wrong, and what to do about it, `null` where nothing can be named. */
export type Advised = { readonly what: string; readonly next: string | null };

/** Both as the one text that a job keeps: `it is a scan; next: ocrmypdf a.pdf b.pdf`. */
export function withNext(what: string, next: string): string {
  return `${what}${MARK}${next}`;
}

/**
 * A failure's text in its two parts: a screen shows the step once, on a line of its own, where it can be copied. Only what is said of a
 * document has one: other messages may hold the words of a model, which must not name steps.
 */
export function advised({ reason, message }: { readonly reason: string; readonly message: string }): Advised {
  const at = reason.startsWith('document_') ? message.indexOf(MARK) : -1;
  return at === -1 ? { what: message, next: null } : { what: message.slice(0, at), next: message.slice(at + MARK.length) };
}
