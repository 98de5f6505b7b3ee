import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Completion, CompletionRequest } from '../../src/domain/completion.ts';
import { ProviderError, UserError } from '../../src/domain/errors.ts';
import type { Failure } from '../../src/domain/reason.ts';
import { type CassetteEntry, cassetteText, parseCassette, type RecordedResponse, requestSummary } from '../../src/providers/cassette.ts';
import type { CallListener, Provider } from '../../src/providers/provider.ts';
import { createCassetteSink, recordingProvider, writeCassette } from '../../src/providers/recording.ts';
import { createReplayProvider } from '../../src/providers/replay.ts';
import { wireBody, wireKey } from '../../src/providers/wire-body.ts';
import { JSON_FORM, NEVER, request } from './requests.ts';

const BUSY: Failure = { class: 'rate', reason: 'rate_limited', message: 'busy', status: 429, retryAfterMs: 5 };
const BROKEN: Failure = { class: 'transient', reason: 'server_error', message: 'broken', status: 500 };

function said(content: string, repeat = 0): RecordedResponse {
  return { repeat, answer: { content, refusal: null, finishReason: 'stop', usage: null, model: 'served' } };
}

function broke(failure: Failure): RecordedResponse {
  return { repeat: 0, failure, sent: true };
}

function entry(asked: CompletionRequest, ...responses: RecordedResponse[]): CassetteEntry {
  return { key: wireKey(wireBody(asked)), request: requestSummary(asked), responses };
}

function replay(...entries: CassetteEntry[]): Provider {
  return createReplayProvider({
    cassette: { v: 1, entries },
    path: 'demo.json',
    latencyMs: 0,
    sleep: async () => undefined,
    clock: () => 0,
  });
}

async function outcome(provider: Provider, asked: CompletionRequest): Promise<string> {
  return provider.complete(asked, NEVER).then(
    ({ content }) => content,
    (error: unknown) => (error instanceof ProviderError ? error.failure.message : String(error)),
  );
}

describe('a replay', () => {
  it('tells of the first token when the answer comes, not of a failure, also through a recorder', async () => {
    let tokens = 0;
    const listener: CallListener = {
      onHeaders: () => undefined,
      onFirstToken: () => {
        tokens += 1;
      },
    };
    const provider = recordingProvider(replay(entry(request(), broke(BUSY), said('one'))), createCassetteSink());
    await provider.complete(request(), NEVER, listener).catch(() => undefined);
    expect(tokens).toBe(0);
    await provider.complete(request(), NEVER, listener);
    expect(tokens).toBe(1);
  });

  it('answers a body with what was recorded for it', async () => {
    const provider = replay(entry(request(), said('one')), entry(request({ model: 'other' }), said('two')));
    expect(await provider.complete(request({ model: 'other', callToken: 'z' }), NEVER)).toEqual({
      content: 'two',
      refusal: null,
      finishReason: 'stop',
      usage: null,
      model: 'served',
      requestId: null,
      latencyMs: 0,
      firstTokenMs: null,
      mode: null,
      wireBody: wireBody(request({ model: 'other' })),
    });
  });

  it('gives the nth try the nth response, also after a restart, and repeats the last', async () => {
    const recorded = entry(request(), broke(BROKEN), said('two'), said('three'));
    const provider = replay(recorded);
    expect(await outcome(provider, request({ attempt: 1 }))).toBe('broken');
    expect(await outcome(provider, request({ attempt: 2 }))).toBe('two');
    expect(await outcome(replay(recorded), request({ attempt: 2 }))).toBe('two');
    expect(await outcome(replay(recorded), request({ attempt: 9 }))).toBe('three');
  });

  it('goes on after a recorded rate limit, which counts no attempt', async () => {
    const provider = replay(entry(request(), broke(BUSY), said('two')));
    expect(await outcome(provider, request({ attempt: 1 }))).toBe('busy');
    expect(await outcome(provider, request({ attempt: 1 }))).toBe('two');
  });

  it('tells repeats of one body apart', async () => {
    const provider = replay(entry(request(), said('first'), said('second', 1)));
    expect(await outcome(provider, request({ repeat: 1 }))).toBe('second');
    expect(await outcome(provider, request({ repeat: 0 }))).toBe('first');
    expect(await outcome(provider, request({ repeat: 2 }))).toBe('first');
  });

  it('throws a recorded failure as it was', async () => {
    const provider = replay(entry(request(), { repeat: 0, failure: BUSY, sent: false }));
    await expect(provider.complete(request(), NEVER)).rejects.toMatchObject({ failure: BUSY, sent: false });
  });

  it('fails for good on an unknown body, and names the nearest', async () => {
    const provider = replay(entry(request({ model: 'other' }), said('x')), entry(request(), said('x')));
    const asked = request({ messages: [{ role: 'user', content: 'Is the register reset to one?' }] });
    await expect(provider.complete(asked, NEVER)).rejects.toMatchObject({
      failure: {
        class: 'permanent',
        reason: 'replay_miss',
        message:
          'no recorded answer in demo.json for model "test-model", prompt "Is the register reset to one?" (29 characters); ' +
          'nearest recorded: model "test-model", prompt "Is the register reset to zero?" (30 characters). record it with: aieval run --record FILE',
      },
      sent: false,
    });
    expect(await outcome(provider, request({ params: {} }))).toContain('looks the same: the parameters, the output schema');
    expect(await outcome(replay(), request())).toContain('the cassette is empty');
  });

  it('waits its latency, and no longer than the caller', async () => {
    const waits: number[] = [];
    const controller = new AbortController();
    const sleep = async (ms: number): Promise<void> => {
      waits.push(ms);
      controller.abort();
    };
    const provider = createReplayProvider({
      cassette: { v: 1, entries: [entry(request(), said('x'))] },
      path: 'p',
      latencyMs: 70,
      sleep,
      clock: () => 0,
    });
    await expect(provider.complete(request(), controller.signal)).rejects.toMatchObject({ failure: { reason: 'cancelled' } });
    expect(waits).toEqual([70]);
  });
});

describe('a recording', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aieval-cassette-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  function scripted(...outcomes: (string | Failure)[]): Provider {
    const complete = async (asked: CompletionRequest): Promise<Completion> => {
      const next = outcomes.shift() ?? 'no more';
      if (typeof next !== 'string') throw new ProviderError(next, { sent: true });
      const usage = { uncachedInput: 1, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0 };
      return {
        ...said(next),
        content: next,
        refusal: null,
        finishReason: 'stop',
        usage,
        model: 'm',
        requestId: 'r',
        latencyMs: 5,
        firstTokenMs: 1,
        mode: null,
        wireBody: wireBody(asked, 'max_completion_tokens'),
      };
    };
    return { complete, preflight: async () => null, close: async () => undefined };
  }

  it('replays to the same outcomes, failures included', async () => {
    const sink = createCassetteSink();
    const outcomes = [BUSY, '{"score":4,"quote":"x"}', '{ "score": 4 }', 'plain'];
    const recorder = recordingProvider(scripted(...outcomes), sink);
    const asked = [request(), request(), request({ output: JSON_FORM }), request({ model: 'other' })];
    const live: string[] = [];
    for (const item of asked) live.push(await outcome(recorder, item));
    const path = join(folder, 'sub', 'demo.json');
    await writeCassette(path, sink.entries());
    const text = await readFile(path, 'utf8');
    const replayed = createReplayProvider({
      cassette: parseCassette(text, path),
      path,
      latencyMs: 0,
      sleep: async () => undefined,
      clock: () => 0,
    });
    const again: string[] = [];
    for (const item of asked) again.push(await outcome(replayed, item));
    expect(again).toEqual(live);
    expect(text).toContain('"json": {\n');
    expect(await readdir(join(folder, 'sub'))).toEqual(['demo.json']);
  });

  it('keeps all that is known of a failure', async () => {
    const all: Required<Failure> = {
      ...BUSY,
      status: 429,
      code: 'rate_limit_exceeded',
      requestId: 'req-1',
      limited: 'tokens',
      sameMode: true,
      retryAfterMs: 5,
      partial: '{}',
    };
    const sink = createCassetteSink();
    await outcome(recordingProvider(scripted(all), sink), request());
    const { entries } = parseCassette(cassetteText(sink.entries()), 'demo.json');
    expect(entries[0]?.responses).toEqual([{ repeat: 0, failure: all, sent: true }]);
  });

  it('holds neither document nor key', async () => {
    const sink = createCassetteSink();
    const failure: Failure = { ...BROKEN, message: 'bad key sk-proj-0123456789abcdef', partial: 'Bearer 0123456789abcdef' };
    const document = 'The secret plans. '.repeat(50);
    await outcome(recordingProvider(scripted(failure), sink), request({ messages: [{ role: 'user', content: document }] }));
    const text = cassetteText(sink.entries());
    expect(text).not.toContain('0123456789');
    expect(text.split('The secret plans').length).toBeLessThan(7);
  });

  it('does not keep a call that the caller ended', async () => {
    const sink = createCassetteSink();
    await outcome(recordingProvider(scripted({ class: 'transient', reason: 'cancelled', message: 'x' }), sink), request());
    expect(sink.entries()).toEqual([]);
  });

  it('keeps other entries of the file, replaces those of the same body, and is stable', async () => {
    const path = join(folder, 'demo.json');
    const [one, two, three] = [request({ model: 'c' }), request({ model: 'a' }), request({ model: 'b' })];
    await writeCassette(path, [entry(one, said('old')), entry(two, said('kept'))]);
    await writeCassette(path, [entry(three, said('new')), entry(one, said('new'))]);
    const first = await readFile(path, 'utf8');
    const { entries } = parseCassette(first, path);
    expect(entries.map(({ request: summary, responses }) => [summary.model, responses.length])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    expect(entries[2]?.responses).toEqual([said('new')]);
    await writeCassette(path, []);
    expect(hash(await readFile(path, 'utf8'))).toBe(hash(first));
  });

  it('does not overwrite a file that is no cassette', async () => {
    const path = join(folder, 'notes.json');
    await writeFile(path, '{"mine": true}');
    await expect(writeCassette(path, [])).rejects.toBeInstanceOf(UserError);
    expect(await readFile(path, 'utf8')).toBe('{"mine": true}');
  });
});

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('a cassette file', () => {
  it('holds no wait and no count of tokens that no server names', () => {
    const answer = { content: 'yes', usage: { uncachedInput: 1, output: 1e15 } };
    const failure = { class: 'rate', reason: 'rate_limited', message: 'busy', retryAfterMs: 1e30 };
    for (const response of [{ answer }, { failure }]) {
      const text = JSON.stringify({
        v: 1,
        entries: [{ key: 'a'.repeat(64), request: { model: 'm', prompt: 'p' }, responses: [response] }],
      });
      expect(() => parseCassette(text, 'answers.json')).toThrow(UserError);
    }
  });

  it('written by hand may leave out what has a default', () => {
    const text = JSON.stringify({
      v: 1,
      entries: [
        {
          key: 'a'.repeat(64),
          request: { model: 'm', prompt: 'p' },
          responses: [{ answer: { json: { b: 1, a: 2 } } }, { failure: BROKEN }],
        },
      ],
    });
    expect(parseCassette(text, 'x').entries[0]?.responses).toEqual([
      { repeat: 0, answer: { content: '{"b":1,"a":2}', refusal: null, finishReason: 'stop', usage: null, model: 'm' } },
      { repeat: 0, failure: BROKEN, sent: true },
    ]);
  });

  it.each<[string, string, RegExp]>([
    ['cut off', '{\n  "v": 1,\n  "entries": [', /^demo\.json:3:\d+: the cassette cannot be read: not JSON/],
    ['empty', '', /^demo\.json:1:1: the cassette cannot be read: not JSON/],
    ['of another version', '{"v": 2, "entries": []}', /^demo\.json:1:7: .* v: /],
    [
      'with a wrong key',
      '{"v": 1,\n "entries": [{"key": "abc", "request": {"model": "m", "prompt": ""}, "responses": []}]}',
      /^demo\.json:2:\d+: .* entries\[0\]\.key: expected 64/,
    ],
    ['that is a list', '[]', /^demo\.json:1:1: .* the whole: /],
  ])('%s is refused with its place', (_title, text, message) => {
    const parse = (): unknown => parseCassette(text, 'demo.json');
    expect(parse).toThrow(UserError);
    expect(parse).toThrow(message);
  });
});
