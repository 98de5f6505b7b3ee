import { expect, test } from 'vitest';
import { documentNotes } from '../../../src/cli/plan/document-notes.ts';
import type { CanonicalText, LostPage } from '../../../src/domain/document.ts';

function document(documentId: string, warnings: readonly string[], lostPages: readonly LostPage[] = []) {
  const content: CanonicalText = {
    ...{ format: 'pdf', extractor: 'pdf:x+norm:1', title: null, text: 'text', textSha256: 't', pages: [], sections: [], blocks: [] },
    ...{ lostPages, lines: { start: [0], number: [1] }, warnings },
  };
  return { documentId, extraction: { ok: true, content } } as const;
}

test('each thing is told once, whatever the number of pages and documents that share it', () => {
  const hidden = Array.from({ length: 50 }, (_, i) => `page ${i + 1}: hidden text left out`);
  const lost = { number: 7, label: null, why: 'cannot be read' };
  const documents = [
    document('a.pdf', ['charset guessed: windows-1251'], [lost]),
    ...['b', 'c', 'd', 'e', 'f'].map((name) => document(`${name}.pdf`, hidden)),
    { documentId: 'g.pdf', extraction: { ok: false, reason: 'document_empty', message: 'empty' } } as const,
  ];
  expect(documentNotes(documents, 10)).toEqual([
    'a.pdf: evaluated without page 7: cannot be read',
    'b.pdf, c.pdf, d.pdf and 2 more: pages 1–50: hidden text left out',
    'a.pdf: charset guessed: windows-1251',
  ]);
  expect(documentNotes(documents, 1)).toEqual([
    'a.pdf: evaluated without page 7: cannot be read',
    '2 more warnings about documents: see aieval plan',
  ]);
});
