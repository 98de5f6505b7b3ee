import type { Reason } from '../../domain/reason.ts';

type Failed = { readonly reason: Reason };

/** Whether asking the same again can help. What cannot be read, or is too long, is mended outside of the run. */
export function isAskable({ reason }: Failed): boolean {
  return !reason.startsWith('document_') && reason !== 'input_too_long';
}

/** What mends the others, in words; `null` where there are none. */
export function mendingText(dlq: readonly Failed[]): string | null {
  const locked = dlq.some(({ reason }) => reason === 'document_encrypted');
  const ofDocuments = dlq.some(({ reason }) => reason.startsWith('document_') && reason !== 'document_encrypted');
  const tooLong = dlq.some(({ reason }) => reason === 'input_too_long');
  const steps = [
    ...(ofDocuments ? ['mend the documents'] : []),
    ...(locked ? ['set the variables of passwords (passwordEnv)'] : []),
    ...(tooLong ? ['make what is too long fit'] : []),
  ];
  return steps.length === 0 ? null : steps.join(' and ');
}
