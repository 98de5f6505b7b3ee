/** How much text of its documents, prompts and answers a report holds. */
export type Contents = {
  readonly docs: 'cited' | 'full' | 'none';
  /** The messages that were sent, and the answers as they came where those are not the judged ones. */
  readonly prompts: boolean;
  /** The judged answers. */
  readonly answers: boolean;
  /** What servers and checks said when an attempt failed. */
  readonly messages: boolean;
};

/** What the report of a private run holds. */
export const WITHOUT_WORDS: Contents = { docs: 'none', prompts: false, answers: false, messages: false };

/** Said in it. */
export const WORDS_NOTE =
  'privacy.evidence is "none": no word of a document or a model is in this file. Verdicts, reasons and numbers are complete.';

/**
 * The fixed order in which a report that is too large gives way: first what was sent and what came, then the judged answers, then of whole
 * documents all but the cited passages.
 */
export function shrinking(docs: Contents['docs']): readonly [Contents, ...Contents[]] {
  const cited = docs === 'full' ? 'cited' : docs;
  return [
    { docs, prompts: true, answers: true, messages: true },
    { docs, prompts: false, answers: true, messages: true },
    { docs, prompts: false, answers: false, messages: true },
    ...(cited === docs ? [] : [{ docs: cited, prompts: false, answers: false, messages: true } as const]),
  ];
}

/** What was left out of a report that was to hold `wanted` and no more than so many bytes. */
export function shrinkingNotes(wanted: Contents, held: Contents, mostBytes: number): readonly string[] {
  const left = [
    ...(wanted.prompts && !held.prompts ? ['the prompts and the answers as they came'] : []),
    ...(wanted.answers && !held.answers ? ['the judged answers'] : []),
    ...(wanted.docs === held.docs ? [] : ['of the documents all but the cited passages']),
  ];
  if (left.length === 0) return [];
  return [
    `Left out, because the report would have more than ${megabytes(mostBytes)}: ${left.join(', ')}. aieval show JOB has them, and so has the job's folder.`,
  ];
}

/** `51 MB`. */
export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
