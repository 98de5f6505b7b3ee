import type { ReadDocument } from '../../engine/read-documents.ts';
import { lostPagesPhrase } from '../../report/coverage-phrases.ts';
import { counted, grouped } from '../../report/phrases.ts';
import { warningGroups } from '../../report/warning-groups.ts';

type Noted = Pick<ReadDocument, 'documentId' | 'extraction'>;

/**
 * What to know of documents before they are asked: the pages that each lacks, then what is odd about their texts, which is told once,
 * whatever the number of pages and documents that share it; at most `limit` lines, and how many more there are.
 * Without words, as `privacy` may want it, only how many there are.
 */
export function documentNotes(documents: readonly Noted[], limit: number, withWords = true): string[] {
  if (!withWords) return countedNotes(documents);
  const lost = documents.flatMap(lostNote);
  const told = documents.map(({ documentId, extraction }) => ({
    document: documentId,
    warnings: extraction.ok ? extraction.content.warnings : [],
  }));
  const { total, kept } = warningGroups(told, limit);
  const odd = kept.map(({ text, documents: named, total: all }) => {
    const more = all > named.length ? ` and ${grouped(all - named.length)} more` : '';
    return `${named.join(', ')}${more}: ${text}`;
  });
  const lines = [...lost, ...odd].slice(0, limit);
  const left = lost.length + total - lines.length;
  return left > 0 ? [...lines, `${counted(left, 'more warning')} about documents: see aieval plan`] : lines;
}

function countedNotes(documents: readonly Noted[]): string[] {
  const odd = documents.filter(({ extraction }) => extraction.ok && extraction.content.warnings.length > 0);
  return [
    ...documents.flatMap(({ documentId, extraction }) => {
      const lost = extraction.ok ? extraction.content.lostPages.length : 0;
      return lost === 0 ? [] : [`${documentId}: evaluated without ${counted(lost, 'page')}`];
    }),
    ...(odd.length === 0 ? [] : [`warnings about ${counted(odd.length, 'document')}, not shown (privacy.evidence)`]),
  ];
}

function lostNote({ documentId, extraction }: Noted): string[] {
  if (!extraction.ok || extraction.content.lostPages.length === 0) return [];
  return [`${documentId}: evaluated without ${lostPagesPhrase(extraction.content.lostPages, (why) => why)}`];
}
