import type { ChildProcess } from 'node:child_process';
import { afterEach } from 'vitest';
import { type Ended, ended, start } from '../../cli/binary.ts';
import { here, hereJson } from '../here.ts';
import { documents, lastRecord, manifest, type Project, project } from '../project.ts';
import { type ProviderScript, type ScriptableProvider, startProvider } from './scriptable-provider.ts';

/** What a test's manifest says beside its server: parts of the one provider, of the one model, and of the manifest itself. */
export type Setting = {
  readonly documents?: number | Readonly<Record<string, string>>;
  readonly provider?: object;
  readonly limits?: object;
  readonly model?: object;
  readonly manifest?: object;
  readonly env?: Readonly<Record<string, string>>;
};

export type AtWork = { readonly place: Project; readonly provider: ScriptableProvider };

export type RunEnd = Ended & { readonly record: Record<string, unknown> };

const undo: (() => void | Promise<void>)[] = [];

/** Registers what a test opened to be closed after it, the latest first. */
export function afterwards(step: () => void | Promise<void>): void {
  undo.push(step);
}

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Timers that leave a healthy server on this machine time enough, and end a test with a dead one soon. */
const TIMEOUTS = { connectMs: 5000, firstTokenMs: 700, idleMs: 700, totalMs: 10_000 };

const MODEL = { provider: 'lab', model: 'small', price: { inputPerMTok: 1, outputPerMTok: 2 }, params: { maxOutputTokens: 100 } };

/** A scripted provider and a project that asks it. */
export async function atWork(script: ProviderScript | ProviderScript['respond'], setting: Setting = {}): Promise<AtWork> {
  const provider = await startProvider(typeof script === 'function' ? { respond: script } : script);
  afterwards(provider.close);
  return { provider, place: placeFor(provider.baseUrl, setting) };
}

/** A project whose manifest asks the server at `baseUrl`. */
export function placeFor(baseUrl: string, setting: Setting = {}): Project {
  const { documents: asked = 1, env = {} } = setting;
  const files = typeof asked === 'number' ? documents(asked) : asked;
  const place = project({ env, files: { 'manifest.json': manifestOf(baseUrl, setting), ...files } });
  afterwards(place.remove);
  return place;
}

/** The manifest of such a project. */
export function manifestOf(baseUrl: string, { provider = {}, limits, model = {}, manifest: parts = {} }: Setting = {}): string {
  return manifest(baseUrl, {
    providers: { lab: { type: 'openai', baseUrl, ...(limits === undefined ? {} : { limits }), ...provider } },
    models: { small: { ...MODEL, timeouts: TIMEOUTS, ...model } },
    retry: { attempts: 2 },
    ...parts,
  });
}

/** Runs the manifest to its end. */
export async function runIn(place: Project, ...args: string[]): Promise<RunEnd> {
  const end = await place.aieval('run', 'manifest.json', '--json', ...args);
  return { ...end, record: recordOf(end.stdout) };
}

/** A run that could not begin prints none. */
function recordOf(stdout: string): Record<string, unknown> {
  return stdout.trim() === '' ? {} : lastRecord(stdout);
}

/** A process at work on the project, and its end. */
export function processIn(place: Project, ...args: string[]): { readonly child: ChildProcess; readonly end: Promise<RunEnd> } {
  const child = start([...args, '--json'], { cwd: place.dir });
  afterwards(() => void child.kill('SIGKILL'));
  return { child, end: ended(child).then((end) => ({ ...end, record: recordOf(end.stdout) })) };
}

/** The whole record of one document's job. */
export async function showIn(place: Project, document = '01'): Promise<Record<string, unknown>> {
  return hereJson(place, 'show', `docs/${document}.md:quotes:small`);
}

/** `summary.md` of the latest run. */
export async function summaryIn(place: Project): Promise<string> {
  return (await here(place, 'summary')).stdout;
}
