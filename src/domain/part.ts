import type { Span } from './document.ts';

/**
 * One of the parts in which a document is asked, because it does not fit whole. Its text is exactly `text.slice(start, end)`. `ownStart`
 * is where text begins that the part before does not hold: the parts tile the document by `[ownStart, end)`. `index` counts from 0.
 */
export type Part = Span & { readonly ownStart: number; readonly index: number; readonly of: number };

/**
 * What a call step asks. `null` where it is the task's prompt with the whole document. `prompt`: texts that were made of other steps'
 * answers (`reduce`), stored because they cannot be rendered again.
 */
export type StepInput =
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'prompt'; readonly system: string | null; readonly prompt: string };
