import { resolve } from 'node:path';
import { errorCode } from '../../artifacts/storage-error.ts';
import { UserError } from '../../domain/errors.ts';
import type { LogRecord } from '../../observe/log/log-record.ts';
import { RotatingFile } from '../../observe/log/rotating-file.ts';
import { openWorkLog } from '../../observe/log/work-log.ts';
import { workRecord } from '../../observe/log/work-record.ts';
import { scrub, secretsOf } from '../../providers/secrets.ts';
import { secretValues } from '../error-output.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { errorRecord, eventRecord, outcomeRecord } from './event-record.ts';
import { type ObserveOptions, STDERR } from './observe-options.ts';
import type { Observer, Tell } from './observer.ts';

/** Ten million characters of JSON are a day of steady work; six such files are kept. */
const PART_BYTES = 10 * 1024 * 1024;
const PARTS_KEPT = 5;

type LogOptions = Required<Pick<ObserveOptions, 'logFile'>> & Pick<ObserveOptions, 'logLevel'>;

/** The log of `--log-file`. Throws `UserError` (E00) when it cannot be opened. */
export function logObserver(io: CliIo, { logFile, logLevel = 'info' }: LogOptions, tell: Tell): Observer {
  const sink = logFile === STDERR ? { write: (line: string) => void io.stderr.write(line), close: () => undefined } : openFile(io, logFile);
  const secrets = secretsOf(secretValues(io.env));
  let isTold = false;
  const write = (line: string): void => {
    try {
      sink.write(line);
    } catch (error) {
      if (!isTold) tell(`${logFile} cannot be written (${errorCode(error)}): the log has a gap`);
      isTold = true;
    }
  };
  const log = openWorkLog({ level: logLevel, write, redact: (text) => scrub(text, secrets), now: io.now });
  const logIf = (record: LogRecord | null): void => {
    if (record !== null) log(record);
  };
  return {
    onWork: (news) => log(workRecord(news)),
    onEvent: (event) => logIf(eventRecord(event)),
    onFinished: (outcome) => log(outcomeRecord(outcome)),
    onError: (error) => log(errorRecord(error)),
    close: async () => sink.close(),
  };
}

function openFile({ cwd }: CliIo, logFile: string): RotatingFile {
  try {
    return new RotatingFile({ path: resolve(cwd, logFile), maxBytes: PART_BYTES, keep: PARTS_KEPT });
  } catch (cause) {
    const message = `--log-file: cannot write ${logFile} (${errorCode(cause)}). Nothing was spent`;
    throw new UserError({
      code: 'E00',
      exitCode: EXIT.usage,
      message,
      next: ['name a file in a folder of yours: --log-file <path>'],
      cause,
    });
  }
}
