import { withoutEdgePunctuation } from './clean-quote.ts';
import { lowerCaseOf } from './evidence-index.ts';
import { squeeze } from './match/match-form.ts';

/** The question's own words. */
export type PromptText = {
  /** Whether it has the words of a cleaned quote, but for layout, case and punctuation at their edges. */
  readonly has: (cleaned: string) => boolean;
};

/** The words of a question, brought into their match form when a quote is first looked for: most answers never need it. */
export function createPromptText(text: string): PromptText {
  let form: string | null = null;
  return {
    has: (cleaned) => {
      const quote = formOf(withoutEdgePunctuation(cleaned));
      if (quote === '' || quote.length > text.length) return false;
      form ??= formOf(text);
      return form.includes(quote);
    },
  };
}

function formOf(text: string): string {
  return lowerCaseOf(squeeze(text, null).text);
}
