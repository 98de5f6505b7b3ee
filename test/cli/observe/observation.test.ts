import { expect, test } from 'vitest';
import { Observation } from '../../../src/cli/observe/observation.ts';
import type { Observer } from '../../../src/cli/observe/observer.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import type { Store } from '../../../src/store/store.ts';
import { EVENTS } from '../../observe/logged-events.ts';
import { STEP } from '../../observe/sample-news.ts';
import { openTempStore } from '../../store/sqlite/open-store.ts';
import { FakeStream, fakeIo } from '../fake-io.ts';

const NEWS = { kind: 'step.started', step: STEP, atMs: 0 } as const;
const NOBODY: Observer = { close: async () => undefined };

function shown() {
  const events: EngineEvent[] = [];
  const display = { onEvent: (event: EngineEvent) => void events.push(event), onTotals: () => undefined, onFinished: () => undefined };
  return { events, display: { ...display, close: () => undefined } };
}

async function withStore(work: (store: Store) => void): Promise<void> {
  const { store, dispose } = await openTempStore(() => 0);
  try {
    work(store);
  } finally {
    await dispose();
  }
}

test('a fault of one who watches is told once, and neither the work nor another one is kept from going on', async () => {
  const heard: string[] = [];
  const broken = (): never => {
    throw new RangeError('MARK');
  };
  const faulty: Observer = { ...NOBODY, onWork: broken, onEvent: broken };
  const whole: Observer = { ...NOBODY, onWork: ({ kind }) => heard.push(kind), onEvent: ({ kind }) => heard.push(kind) };
  await withStore((store) => {
    const { events, display } = shown();
    const watched = new Observation(fakeIo(), [faulty, whole]).display(display, store, 'all');
    watched.onWork?.(NEWS);
    watched.onEvent(EVENTS.stopping);
    expect(heard).toEqual(['step.started', 'stopping']);
    expect(events).toEqual([
      { kind: 'warning', message: 'what watches this work has a fault (RangeError); please report it' },
      EVENTS.stopping,
    ]);
  });
});

test('the runs that are watched are those that are told to be started, or all', async () => {
  await withStore((store) => {
    const seen: unknown[] = [];
    const observer: Observer = { ...NOBODY, onStore: (_, watched) => seen.push(watched) };
    const { display } = shown();
    const watched = new Observation(fakeIo(), [observer]).display(display, store, 'told');
    watched.onEvent(EVENTS['run.started']);
    expect(seen).toEqual([new Set(['r-1'])]);
    new Observation(fakeIo(), [observer]).display(display, store, 'all');
    expect(seen[1]).toBe('all');
  });
});

test('what nobody watches costs nothing: no news of the work is made', async () => {
  await withStore((store) => {
    const { display } = shown();
    const { close, ...rest } = new Observation(fakeIo(), []).display(display, store, 'told');
    expect({ ...rest, close: display.close }).toEqual(display);
  });
});

test('that a server is waited for, and is there again, is told where the work is shown', async () => {
  await withStore((store) => {
    const { events, display } = shown();
    const observation = new Observation(fakeIo(), []);
    const { onServer, patienceMs } = observation.waiting(600_000);
    observation.display(display, store, 'told');
    onServer({ kind: 'away', shown: 'postgres://db/spec', what: 'does not answer', why: 'connect ECONNREFUSED', patienceMs: 600_000 });
    onServer({ kind: 'back', shown: 'postgres://db/spec', awayMs: 42_000 });
    observation
      .waiting(Number.POSITIVE_INFINITY)
      .onServer({
        kind: 'away',
        shown: 'postgres://db/spec',
        what: 'does not answer',
        why: 'timeout',
        patienceMs: Number.POSITIVE_INFINITY,
      });
    expect(patienceMs).toBe(600_000);
    expect(events).toEqual([
      { kind: 'warning', message: 'postgres://db/spec does not answer (connect ECONNREFUSED); waiting for it, for at most 10m00s' },
      { kind: 'warning', message: 'postgres://db/spec can be used again, after 42 s; the work goes on' },
      { kind: 'warning', message: 'postgres://db/spec does not answer (timeout); waiting for it' },
    ]);
  });
});

test('after the display is closed, and before there is one, problems are told on stderr', async () => {
  await withStore((store) => {
    const stderr = new FakeStream();
    const { events, display } = shown();
    const observing = new Observation(fakeIo({ stderr }), [NOBODY]);
    observing.tell('before');
    const watched = observing.display(display, store, 'told');
    observing.tell('meanwhile');
    watched.close();
    observing.tell('after');
    expect(stderr.text).toBe('warning: before\nwarning: after\n');
    expect(events).toEqual([{ kind: 'warning', message: 'meanwhile' }]);
  });
});
