/**
 * How a failure begins that lies in what the parts of a document were answered together: `parts` contradict each other, the joined
 * `array`s break the schema, or the `whole` does with what was made of them. No answer of a model can stand in front of it.
 */
const BEGINNINGS = {
  parts: 'the parts of the document give different answers at ',
  array: 'the joined arrays of all parts are not valid: ',
  whole: 'the answer made of all parts is not valid: ',
} as const;

export type MergeFailure = keyof typeof BEGINNINGS;

export function mergeMessage(failure: MergeFailure, detail: string): string {
  return `${BEGINNINGS[failure]}${detail}`;
}

/** `null` for every other failure. */
export function mergeFailureOf(message: string): MergeFailure | null {
  return (['parts', 'array', 'whole'] as const).find((failure) => message.startsWith(BEGINNINGS[failure])) ?? null;
}
