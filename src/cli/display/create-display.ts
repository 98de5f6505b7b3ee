import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import type { Display } from './display.ts';
import { faultTeller, type OnFault, unbroken } from './unbroken.ts';

/** The display that the global options ask for; with `--json` also the JSON lines on stdout. Loads only what it uses. */
export async function createDisplay(globals: Globals, io: CliIo): Promise<Display> {
  const onFault = faultTeller(io);
  const onStderr = unbroken(await stderrDisplay(globals, io, onFault), onFault);
  io.notes.closeDisplay = onStderr.close;
  if (!globals.json) return { ...onStderr, streams: [io.stderr] };
  const { jsonDisplay } = await import('./json.ts');
  return { ...both(unbroken(jsonDisplay(io), onFault), onStderr), streams: [io.stdout, io.stderr] };
}

async function stderrDisplay(globals: Globals, io: CliIo, onFault: OnFault): Promise<Display> {
  if (globals.logFormat === 'json' && globals.display !== 'none') return await plainly(globals, io);
  switch (globals.display) {
    case 'full':
      return await (await import('./full.ts')).fullDisplay(io, globals.colour.stderr, onFault);
    case 'plain':
      return await plainly(globals, io);
    case 'none':
      return (await import('./none.ts')).noneDisplay(io, globals);
  }
}

async function plainly({ logFormat }: Globals, io: CliIo): Promise<Display> {
  const { plainDisplay } = await import('./plain.ts');
  const { githubSink, jsonSink, textSink } = await import('./log-sink.ts');
  if (logFormat === 'json') return plainDisplay(io, jsonSink(io));
  return plainDisplay(io, io.env.GITHUB_ACTIONS === 'true' ? githubSink(io) : textSink(io));
}

function both(first: Display, second: Display): Display {
  return {
    wantsSummary: first.wantsSummary === true || second.wantsSummary === true,
    onEvent(event) {
      first.onEvent(event);
      second.onEvent(event);
    },
    onTotals(all) {
      first.onTotals(all);
      second.onTotals(all);
    },
    onFinished(outcome) {
      first.onFinished(outcome);
      second.onFinished(outcome);
    },
    close() {
      first.close();
      second.close();
    },
  };
}
