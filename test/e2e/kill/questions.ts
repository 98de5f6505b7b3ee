import { type Random, seeded } from './random.ts';

/**
 * What the model makes of a document, so that the end of each job is known however often its calls die:
 * `pass` a true quote; `fail` an invented one; `reask` an answer that breaks the schema, and a good one when asked again; `never`
 * no valid answer at all; `refused` an HTTP 400 the first time.
 */
type Kind = 'pass' | 'fail' | 'reask' | 'never' | 'refused';

export type Question = { readonly name: string; readonly kind: Kind };

/** Of 20 documents. */
const SHARES: readonly (readonly [Kind, number])[] = [
  ['pass', 13],
  ['fail', 2],
  ['reask', 3],
  ['never', 1],
  ['refused', 1],
];
const DECK = SHARES.flatMap(([kind, share]) => Array.from({ length: share }, () => kind));

/** The questions of one batch, all kinds among them. */
export function questionsOf(batch: string, count: number, random: Random): Question[] {
  const kinds = random.shuffled(Array.from({ length: count }, (_, index) => DECK[index % DECK.length] ?? 'pass'));
  return kinds.map((kind, index) => ({ name: `${batch}-${String(index).padStart(3, '0')}`, kind }));
}

export function pathOf({ name, kind }: Question): string {
  return `docs/${name.split('-')[0]}/${name}-${kind}.md`;
}

export function textOf({ name, kind }: Question): string {
  return `# Part ${name}\n\nDevice ${name} of kind ${kind} shall answer within 5 ms.\n\nNothing else is said of it.\n`;
}

const SENTENCE = /Device (b\d+-\d+) of kind (pass|fail|reask|never|refused) shall answer within 5 ms\./;

/** The question that a prompt, or a document, asks. */
export function questionIn(text: string): Question {
  const [, name, kind] = SENTENCE.exec(text) ?? [];
  if (name === undefined || !isKind(kind)) throw new Error(`no question in ${text.slice(0, 200)}`);
  return { name, kind };
}

function isKind(kind: string | undefined): kind is Kind {
  return SHARES.some(([known]) => known === kind);
}

export type Answer = { readonly findings: readonly { readonly quote: string }[] };

/** The one answer that may stand; `null` where none ever comes. */
export function rightAnswer({ name, kind }: Question): Answer | null {
  if (kind === 'never') return null;
  const quote =
    kind === 'fail' ? `The purple elephant sang ${name} on a Tuesday.` : `Device ${name} of kind ${kind} shall answer within 5 ms.`;
  return { findings: [{ quote }] };
}

/** How a job of this question must have ended when all is done. */
export function rightEnd({ kind }: Question): { readonly state: string; readonly verdict: string; readonly reason: string | null } {
  if (kind === 'never') return { state: 'failed', verdict: 'error', reason: 'invalid_answer' };
  return { state: 'succeeded', verdict: kind === 'fail' ? 'fail' : 'pass', reason: null };
}

/** `good` and `invalid` come whole and with usage; the others are failures of the way. */
export type Outcome = 'good' | 'invalid' | 'refused' | 'server_error' | 'rate_limited' | 'cut';

/** Calls of a question after which the server is reliable, so that no job uses up its attempts. */
const FAULTY_CALLS = 3;

/** What the server does with one call: `nth` of its question, of which `answered` were no fault of the way. */
export function outcomeOf(question: Question, call: { seed: number; nth: number; answered: number; reask: boolean }): Outcome {
  const fault = call.nth <= FAULTY_CALLS ? faultOf(seeded(call.seed, 'fault', question.name, call.nth).next()) : null;
  if (fault !== null) return fault;
  if (question.kind === 'refused') return call.answered === 0 ? 'refused' : 'good';
  if (question.kind === 'never') return 'invalid';
  return question.kind === 'reask' && !call.reask ? 'invalid' : 'good';
}

function faultOf(draw: number): Outcome | null {
  if (draw < 0.04) return 'server_error';
  if (draw < 0.07) return 'cut';
  return draw < 0.074 ? 'rate_limited' : null;
}
