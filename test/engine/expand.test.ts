import { describe, expect, test } from 'vitest';
import type { ResolvedModel, ResolvedTask } from '../../src/domain/manifest/resolved.ts';
import type { Selection } from '../../src/domain/selection.ts';
import { countJobs, expandQuestions } from '../../src/engine/expand.ts';
import { MANIFEST } from '../cli/sample-run.ts';

const MODEL = { id: 'fast' } as ResolvedModel;
const TASK = { ...MANIFEST.tasks.claims } as ResolvedTask;
const TASKS = {
  claims: { ...TASK, id: 'claims', repeats: 2 },
  cites: { ...TASK, id: 'cites', documents: ['tag:paper'] },
};
const SOURCE = { ...MANIFEST, models: { fast: MODEL, slow: { ...MODEL, id: 'slow' } }, tasks: TASKS };
const DOCUMENTS = [
  { documentId: 'papers/[draft] a.pdf', tags: ['paper'] },
  { documentId: 'papers/b.pdf', tags: ['paper'] },
  { documentId: 'specs/c.md', tags: [] },
];
const NONE: Selection = { document: [], task: [], model: [], first: null };

function names(selection: Partial<Selection> | null): string[] {
  const questions = [...expandQuestions(SOURCE, DOCUMENTS, selection === null ? null : { ...NONE, ...selection })];
  return questions.flatMap(({ document, task, model, repeats }) =>
    Array.from({ length: repeats }, (_, repeat) => `${document.documentId} ${task.id} ${model.id} ${repeat}`),
  );
}

const OF_B = [
  ...['papers/b.pdf claims fast 0', 'papers/b.pdf claims fast 1', 'papers/b.pdf claims slow 0', 'papers/b.pdf claims slow 1'],
  ...['papers/b.pdf cites fast 0', 'papers/b.pdf cites slow 0'],
];

describe('a selection of jobs', () => {
  test('takes the documents of a glob, a name or a tag', () => {
    expect(names({ document: ['papers/b*'] })).toEqual(OF_B);
    expect(names({ document: ['papers/b.pdf', 'nothing'] })).toEqual(OF_B);
    expect(names({ document: ['tag:paper'] })).toHaveLength(12);
    expect(names({ document: ['tag:other'] })).toEqual([]);
  });

  test('takes a document by its name, whatever signs of a glob are in it', () => {
    expect(names({ document: ['papers/[draft] a.pdf'], task: ['cites'], model: ['fast'] })).toEqual(['papers/[draft] a.pdf cites fast 0']);
  });

  test('must hold in all its parts; of one part any value will do', () => {
    expect(names({ document: ['specs/**'], task: ['cites'] })).toEqual([]);
    expect(names({ document: ['specs/**'], task: ['c*'], model: ['s*'] })).toEqual([
      'specs/c.md claims slow 0',
      'specs/c.md claims slow 1',
    ]);
    expect(names({ task: ['claims', 'cites'] })).toEqual(names(null));
  });

  test('takes the first jobs of what is selected, in plan order, also within the repeats of one question', () => {
    expect(names({ document: ['papers/b.pdf'], first: 3 })).toEqual(OF_B.slice(0, 3));
    expect(names({ first: 1000 })).toEqual(names(null));
  });

  test('counts the jobs and names the documents that they are about', () => {
    const { selectedJobs, allJobs, needed } = countJobs(SOURCE, DOCUMENTS, { ...NONE, task: ['claims'], first: 7 });
    expect([selectedJobs, allJobs, [...needed].map(({ documentId }) => documentId)]).toEqual([
      7,
      16,
      ['papers/[draft] a.pdf', 'papers/b.pdf'],
    ]);
  });
});
