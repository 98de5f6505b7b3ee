import { oneLine } from '../../domain/hostile-text.ts';
import { writeCrash } from '../crash/crash-file.ts';
import { crashError } from '../crash/crash-record.ts';
import type { CliIo } from '../io.ts';
import type { Display } from './display.ts';

/** Hears of an error of a display, which is a bug of ours. */
export type OnFault = (error: unknown) => void;

/** The display, whose errors go to `onFault`: calls are paid for, and what only shows them must not end them. */
export function unbroken(display: Display, onFault: OnFault): Display {
  const show = (what: () => void): void => {
    try {
      what();
    } catch (error) {
      onFault(error);
    }
  };
  return {
    ...display,
    onEvent: (event) => show(() => display.onEvent(event)),
    onTotals: (all) => show(() => display.onTotals(all)),
    onFinished: (outcome) => show(() => display.onFinished(outcome)),
    close: () => show(() => display.close()),
  };
}

/** Tells a person of the first fault, once, with the report that can be sent. */
export function faultTeller(io: CliIo): OnFault {
  let isTold = false;
  return (error) => {
    if (isTold) return;
    isTold = true;
    const path = writeCrash(error, { io, argv: io.notes.argv });
    const report = path === null ? '' : `; report saved to ${oneLine(path, 1000)} (no keys, no document text)`;
    const what = `what shows this work has a fault (${crashError(error).class}) and may leave things out; the work goes on`;
    io.stderr.write(`warning: ${what}${report}; please report it\n`);
  };
}
