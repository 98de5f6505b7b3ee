import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { START_MS } from '../../bench.ts';
import { openIn } from './open-file.ts';
import { operationRows, prepare } from './operation-rows.ts';
import type { OperationName } from './operations.mjs';

const SCRIPT = fileURLToPath(new URL('./dying-database.mjs', import.meta.url));

/** The place of a death among the statements of an operation. */
export type Death = {
  readonly statement: number;
  readonly when: 'before' | 'after';
  /** Transactions of the operation that were committed before. */
  readonly commits: number;
};

const READS = /^\s*SELECT/;

/** What a dead process left: the folder with the database, the calls that it and its predecessors made, the clock's time. */
export type Remains = { readonly folder: string; readonly calls: readonly string[]; readonly nowMs: number };

/** A folder to begin in, again and again. */
export type Beginning = { readonly folder: string; readonly nowMs: number };

/** Brings a store in `folder` to where the operation begins. */
export async function beginning(folder: string, operation: OperationName): Promise<Beginning> {
  const opened = await openIn(folder, START_MS);
  const calls = await prepare(opened, operation);
  await opened.close();
  return begin(folder, opened.clock.nowMs, calls);
}

/** An existing folder to begin in. */
export function begin(folder: string, nowMs: number, calls: readonly string[] = []): Beginning {
  writeFileSync(join(folder, 'rows.json'), JSON.stringify({ rows: operationRows(), startMs: nowMs }));
  writeFileSync(join(folder, 'calls.log'), calls.map((call) => `${call}\n`).join(''));
  return { folder, nowMs };
}

/**
 * Before every statement of the operation that writes, and after each commit. Between two statements the file does not change, so
 * one death stands for both; nor does it while the operation only reads.
 */
export async function deathsIn(start: Beginning, name: OperationName | 'open'): Promise<readonly Death[]> {
  const folder = copyOf(start, 'alive');
  const { stdout } = await run(folder, name, []);
  const statements: unknown = JSON.parse(stdout);
  if (!Array.isArray(statements) || statements.length === 0) throw new Error(`Expected statements of ${name}, got ${stdout}`);
  const deaths: Death[] = [];
  let commits = 0;
  for (const [statement, text] of statements.entries()) {
    if (!READS.test(text)) deaths.push({ statement, when: 'before', commits });
    if (text !== 'COMMIT') continue;
    commits += 1;
    deaths.push({ statement, when: 'after', commits });
  }
  return deaths;
}

/** A process does the operation on a copy of the beginning and dies there. */
export async function die(start: Beginning, name: OperationName | 'open', death: Death): Promise<Remains> {
  const folder = copyOf(start, `${death.statement}-${death.when}`);
  const { signal } = await run(folder, name, [String(death.statement), death.when]);
  if (signal !== 'SIGKILL') throw new Error(`Expected ${name} to die at ${JSON.stringify(death)}`);
  const calls = readFileSync(join(folder, 'calls.log'), 'utf8').split('\n').slice(0, -1);
  return { folder, calls, nowMs: start.nowMs };
}

function copyOf({ folder }: Beginning, name: string): string {
  const copy = `${folder}.${name}`;
  mkdirSync(copy);
  for (const file of ['aieval.db', 'aieval.db.workers', 'rows.json', 'calls.log']) {
    if (existsSync(join(folder, file))) cpSync(join(folder, file), join(copy, file), { recursive: true });
  }
  return copy;
}

type Ended = { readonly stdout: string; readonly signal: string | null };

function run(folder: string, name: string, at: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [SCRIPT, folder, name, ...at], (error, stdout, stderr) => {
      if (error !== null && error.signal !== 'SIGKILL') reject(new Error(`${name} ${at.join(' ')} ended by itself: ${stderr}`));
      else resolve({ stdout, signal: child.signalCode });
    });
  });
}

/** Works on all values, two at a time: a start costs more waiting than work. After an error nothing more is begun. */
export async function inPairs<Value>(values: readonly Value[], work: (value: Value) => Promise<void>): Promise<void> {
  const left = [...values];
  const lane = async (): Promise<void> => {
    for (let value = left.shift(); value !== undefined; value = left.shift()) {
      await work(value).catch((error: unknown) => {
        left.length = 0;
        throw error;
      });
    }
  };
  for (const end of await Promise.allSettled([lane(), lane()])) if (end.status === 'rejected') throw end.reason;
}
