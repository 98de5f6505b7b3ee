import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WantedNames } from '../../../src/store/names.ts';
import { postgresNames } from '../../../src/store/postgres/names.ts';
import { Bench, Clock } from '../bench.ts';
import { job, jobOfKey } from '../rows.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

let opened: PostgresBench;
beforeEach(async () => {
  const clock = new Clock();
  opened = await schemas.open(clock.read);
  const bench = new Bench(opened.store, clock);
  await bench.plan('r1', [
    jobOfKey('j1', 0, 'k1'),
    job('j2', 1, { task: 'rated', model: 'other' }),
    job('j3', 2, { task: 'rated', repeat: 1 }),
  ]);
  await bench.complete(await bench.claimed('r1'));
  clock.pass(1000);
  await bench.plan('r2', []);
});
afterEach(() => opened.dispose());

const values = async (wanted: Partial<WantedNames>) =>
  (await postgresNames(opened.location, { kind: 'jobs', run: 'r1', beginning: '', most: 10, ...wanted })).map(({ value }) => value);

describe('names of a store on PostgreSQL, for completion', () => {
  it('are the runs, newest first, with what they are', async () => {
    expect(await postgresNames(opened.location, { kind: 'runs', run: '', beginning: 'r', most: 10 })).toEqual([
      { value: 'r2', about: 'sample, open' },
      { value: 'r1', about: 'sample, open' },
    ]);
    expect(await values({ kind: 'runs', most: 1 })).toEqual(['r2']);
  });

  it('are those of a run by the beginning of its id, in plan order', async () => {
    expect(await values({ kind: 'jobs' })).toEqual(['a.md:task:model', 'a.md:rated:other#1', 'a.md:rated:model#2']);
    expect(await values({ kind: 'jobs', beginning: 'a.md:rated:model' })).toEqual(['a.md:rated:model#2']);
    expect(await values({ kind: 'documents' })).toEqual(['a.md', 'b.md']);
    expect(await values({ kind: 'tasks' })).toEqual(['task', 'rated']);
    expect(await values({ kind: 'models', beginning: 'o' })).toEqual(['other']);
    expect(await values({ kind: 'jobs', run: 'latest' })).toEqual([]);
    expect(await values({ kind: 'jobs', run: 'none' })).toEqual([]);
  });

  it('of a job say how it stands', async () => {
    expect((await postgresNames(opened.location, { kind: 'jobs', run: 'r1', beginning: '', most: 2 })).map(({ about }) => about)).toEqual([
      'pass',
      'queued',
    ]);
  });

  it('of a store that is not there are an error, and nothing is created', async () => {
    const url = new URL(opened.location);
    url.searchParams.set('schema', 'nowhere_at_all');
    await expect(postgresNames(url.href, { kind: 'runs', run: '', beginning: '', most: 10 })).rejects.toThrow('does not exist');
  });
});
