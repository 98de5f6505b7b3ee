import type { ExpandedQuestion } from './expand.ts';
import type { LoweredPart, Question } from './plan-question.ts';
import type { ReadDocument } from './read-documents.ts';

export type AskedQuestion = Extract<Question, { readonly kind: 'asked' }>;

type Assumed = { readonly documents: Set<string>; tokens: number };

/** What a person should know of how documents are asked in parts, gathered while jobs are planned: once for each task and model. */
export class PartNotes {
  readonly #lowered = new Map<string, LoweredPart>();
  /** By model. */
  readonly #assumed = new Map<string, Assumed>();

  /** Hears of each question once. */
  note({ document, task, model }: ExpandedQuestion<ReadDocument>, { lowered, assumedPartTokens }: AskedQuestion): void {
    if (lowered !== null) this.#lower(`tasks.${task.id}.chunk: parts for model "${model.id}"`, lowered);
    if (assumedPartTokens !== null) this.#assume(model.id, document.documentId, assumedPartTokens);
  }

  warnings(): string[] {
    return [
      ...[...this.#lowered].map(
        ([what, { stated, tokens }]) => `${what} have at most ${tokens} tokens: maxTokens = ${stated} does not fit`,
      ),
      ...[...this.#assumed].map(([model, { documents, tokens }]) => assumedText(model, documents.size, tokens)),
    ];
  }

  #lower(name: string, part: LoweredPart): void {
    const known = this.#lowered.get(name);
    if (known === undefined || part.tokens < known.tokens) this.#lowered.set(name, part);
  }

  #assume(model: string, documentId: string, tokens: number): void {
    const known = this.#assumed.get(model) ?? { documents: new Set(), tokens };
    known.documents.add(documentId);
    known.tokens = Math.max(known.tokens, tokens);
    this.#assumed.set(model, known);
  }
}

function assumedText(model: string, documents: number, tokens: number): string {
  const subject = documents === 1 ? '1 document is' : `${documents} documents are`;
  return `${subject} asked in parts of at most ${tokens} tokens because contextTokens of model "${model}" is not stated: state models.${model}.contextTokens in the manifest`;
}
