import { describe, expect, test } from 'vitest';
import { selectedText, selectJobs } from '../../../src/cli/plan/select-jobs.ts';
import type { FoundFile } from '../../../src/documents/files/find-files.ts';
import type { ResolvedManifest, ResolvedModel } from '../../../src/domain/manifest/resolved.ts';
import { MANIFEST } from '../sample-run.ts';

const SOURCE = { ...MANIFEST, models: { fast: { id: 'fast' } as ResolvedModel } };

function found(documentId: string, tags: readonly string[] = []): FoundFile {
  return { documentId, path: `/${documentId}`, tags, entry: {} as FoundFile['entry'] };
}

const DOCUMENTS = [found('specs/auth.md'), found('specs/pay.md', ['critical']), found('notes.md')];

function select(options: Parameters<typeof selectJobs>[1], manifest: ResolvedManifest = SOURCE, maxJobsFrom: string | null = null) {
  return selectJobs({ manifest, manifestPath: 'manifest.json', documents: DOCUMENTS, maxJobsFrom }, options);
}

/** What a `UserError` says. */
function refusal(options: Parameters<typeof selectJobs>[1], manifest?: ResolvedManifest, maxJobsFrom?: string) {
  try {
    select(options, manifest, maxJobsFrom);
  } catch (error) {
    if (error instanceof Error && 'exitCode' in error && 'code' in error && 'next' in error) {
      return { code: error.code, exitCode: error.exitCode, message: error.message, next: error.next };
    }
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the selection of a command', () => {
  test('leaves out the documents that no selected job needs, so that they are not read', () => {
    const { documents, selected } = select({ document: ['specs/*'], first: 4 });
    expect(documents.map(({ documentId }) => documentId)).toEqual(['specs/auth.md']);
    expect(selected).toMatchObject({ jobs: 4, allJobs: 12 });
    expect(selected === null ? '' : selectedText(selected)).toBe("4 of 12 jobs selected: --document 'specs/*' --first 4");
  });

  test('is none without an option, and every document is read', () => {
    expect(select({})).toEqual({ documents: DOCUMENTS, selected: null, warnings: [] });
  });

  test('says which of its documents is not there', () => {
    expect(select({ document: ['notes.md', 'specs/atuh.md'] }).warnings).toEqual(['--document specs/atuh.md matches no document']);
  });

  test('that leaves nothing is refused with what there is', () => {
    expect(refusal({ document: ['nots.md'], first: 2 })).toEqual({
      code: 'E29',
      exitCode: 5,
      message: '0 of 12 jobs match --document nots.md: documents are notes.md, specs/pay.md, specs/auth.md; tags: critical',
      next: ['aieval plan manifest.json --list'],
    });
  });

  test('whose parts match nothing together is refused, and says so', () => {
    const claims = { ...MANIFEST.tasks.claims, documents: ['notes.md'] } as ResolvedManifest['tasks'][string];
    const refused = refusal({ document: ['specs/*'], task: ['claims'] }, { ...SOURCE, tasks: { ...MANIFEST.tasks, claims } });
    expect(refused).toMatchObject({
      exitCode: 5,
      message: "0 of 10 jobs match --document 'specs/*' --task claims: each of these matches some, but none all of them",
    });
  });

  test.each([
    ['task', 'claim', 'claims, ambiguity', 'claims'],
    ['model', 'fsat', 'fast', 'fast'],
  ])('names the closest %s for one that is not there', (kind, name, closest, next) => {
    expect(refusal({ [kind]: [name] })).toEqual({
      code: 'E32',
      exitCode: 2,
      message: `manifest.json has no ${kind} "${name}". Closest: ${closest}`,
      next: [`aieval plan manifest.json --${kind} ${next}`],
    });
  });

  test('counts against maxJobs, with who stated that, and advises only what helps', () => {
    const few = { ...SOURCE, maxJobs: 5 };
    const allow = '(--first 5), or allow as many (--max-jobs 12)';
    expect(refusal({}, few)).toEqual({
      code: 'E27',
      exitCode: 2,
      message: 'the manifest gives 12 jobs, more than maxJobs = 5 (the default)',
      next: [`narrow "documents", "tasks.*.documents" or "matrix" in the manifest, select some ${allow}`],
    });
    expect(refusal({}, few, '--max-jobs').message).toBe('the manifest gives 12 jobs, more than --max-jobs 5');
    expect(refusal({}, few, 'AIEVAL_MAX_JOBS').message).toBe('the manifest gives 12 jobs, more than maxJobs = 5 (AIEVAL_MAX_JOBS)');
    expect(refusal({ task: ['*'] }, few, 'manifest.json:3:4')).toMatchObject({
      message: 'the selection gives 12 jobs, more than maxJobs = 5 (manifest.json:3:4)',
      next: [`select fewer ${allow}`],
    });
    expect(select({ first: 5 }, few).selected).toMatchObject({ jobs: 5 });
  });

  test('a manifest that gives no job at all is another thing', () => {
    expect(
      refusal({ task: ['claims'] }, { ...SOURCE, matrix: { exclude: [{ document: '**', task: null, model: null }], only: [] } }),
    ).toMatchObject({
      code: 'E29',
      message: 'manifest.json selects no job',
    });
  });
});
