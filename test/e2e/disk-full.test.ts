import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { BINARY, type Ended, ended } from '../cli/binary.ts';
import { answerJson, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Above the room that a worker has from its start, below what the run needs. */
const LARGEST_FILE_BYTES = 5 * 1024 * 1024;

const DOCUMENTS = 3;
const REPEATS = 6;
const JOBS = DOCUMENTS * REPEATS;

/** A text of 300 kB: each answer is stored with its request, so a dozen of them fill what is left. */
function longDocument(number: number): string {
  const filler = Array.from(
    { length: 3000 },
    (_, line) => `${number}.${line} ${'The bus holds its level until the clock falls. '.repeat(2)}`,
  );
  return `# Part ${number}\n\nDevice ${number} shall answer within 5 ms.\n\n${filler.join('\n')}\n`;
}

function longProject(baseUrl: string): Project {
  const long = JSON.parse(manifest(baseUrl));
  long.documents = ['long/*.md'];
  long.tasks.quotes.repeats = REPEATS;
  const files = Array.from({ length: DOCUMENTS }, (_, index) => [`long/${index}.md`, longDocument(index + 1)]);
  const made = project({
    files: { 'small.json': manifest(baseUrl), ...documents(1), 'long.json': JSON.stringify(long), ...Object.fromEntries(files) },
  });
  undo.push(made.remove);
  return made;
}

/** Makes the database larger than any file may become: from then on nothing leaves its log, which soon is as large as it may be. */
function fill(database: string): void {
  const db = new BetterSqlite3(database);
  db.exec(`CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(${LARGEST_FILE_BYTES}))`);
  db.close();
}

/** The real program where no file can grow beyond a limit: it meets the end of the space as on a full disk. */
function runOnSmallDisk({ dir }: Project, ...args: string[]): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  // In blocks of 512 bytes, whichever shell it is.
  const script = `ulimit -f ${LARGEST_FILE_BYTES / 512}; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, BINARY, ...args], {
    cwd: dir,
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return ended(child);
}

/** The calls whose answers stand in a spool file. */
function tokensIn(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const lines = text.slice(0, text.indexOf('\u0000')).split('\n').slice(1, -1);
  return lines.map((line) => JSON.parse(line).token);
}

function answers(count: number): string {
  return `${count} paid ${count === 1 ? 'answer' : 'answers'}`;
}

describe('a disk that fills up during a run', () => {
  test('stops it with one message; answers in flight are kept, the next run takes them in, and nothing is asked twice', {
    timeout: 120_000,
  }, async () => {
    const usageOf = (prompt: string) => ({ prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: 20 });
    const server = await startScriptedServer({
      respond: ({ prompt }) => answerJson(goodAnswer(prompt), { delayMs: 100, usage: usageOf(prompt) }),
    });
    undo.push(server.close);
    const place = longProject(server.baseUrl);
    const database = join(place.dir, '.aieval', 'aieval.db');
    expect((await place.aieval('run', 'small.json')).exitCode).toBe(0);
    fill(database);

    const stopped = await runOnSmallDisk(place, 'run', 'long.json', '--display', 'plain');
    const names = readdirSync(`${database}.spool`);
    expect(names).toHaveLength(1);
    const path = join(`${database}.spool`, names[0] ?? '');
    const kept = tokensIn(path);
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(kept).size).toBe(kept.length);
    expect(stopped.exitCode).toBe(8);
    const errors = stopped.stderr.split('\n').filter((line) => line.startsWith('error'));
    expect(errors).toHaveLength(1);
    expect(stopped.stderr).toContain(
      `note: ${answers(kept.length)} kept in ${path}; the next command on this machine that can write the database`,
    );
    expect(server.requests.length - 1).toBeLessThan(JOBS);

    const again = await place.aieval('run', 'long.json', '--json');
    expect(again.stderr).toContain(`note: ${answers(kept.length)} taken in from ${path}\n`);
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { total: JOBS, succeeded: JOBS }, calls: JOBS });
    expect(server.requests.length - 1).toBe(JOBS);
    expect(existsSync(path)).toBe(false);
  });
});
