/** A standard stream. `columns` and `rows` are known on a terminal only. */
export type CliStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** The standard input. `isTTY` is true when a person types it. */
export type CliInput = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };

/** `bug`: of this process itself, which met an unexpected error. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'bug';

/** A file of variables that was read, and the names of those that counted. Never their values. */
export type ReadEnvFile = { readonly path: string; readonly names: readonly string[] };

/** What is known of a command's work while it is done. The rest is for the report of a bug. */
type Notes = {
  /** How commands begin that are printed to be typed (`leadOf`). */
  lead: string;
  /** Absolute. */
  stateFolder: string | null;
  runId: string | null;
  /** With what files of variables added, once that is known: none of its secrets may be printed. */
  env: Readonly<Record<string, string | undefined>> | null;
  /** The files of variables that were read, for whoever asks where a value came from. */
  envFiles: readonly ReadEnvFile[];
  /** Where the next command like this one would read a `.env`, for a person; `null`: nowhere. */
  envPlace: string | null;
  /** A line was written that is no part of what is drawn on the terminal: that is below it from now on. */
  onAside: (() => void) | null;
  /** The command line, without node and script. */
  readonly argv: readonly string[];
  /** Gives the terminal back before the process ends without coming to any `finally`. Safe to call twice. */
  closeDisplay: (() => void) | null;
};

/** All that a command may know of the process that runs it. */
export type CliIo = {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  /** A function, because a process that never reads must not open it. */
  stdin(): CliInput;
  readonly pid: number;
  /** Of the user that the process acts as; `null` where the system knows no users. */
  readonly userId: number | null;
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** False once nobody reads stdout any more (`aieval status --watch | head`). */
  stdoutOpen(): boolean;
  /** False while the process is a background job of the shell whose terminal it writes to, as far as the system tells cheaply; else true. */
  inForeground(): boolean;
  /** From now on these signals go to `listener` instead of ending the process. Returns the way back. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /**
   * Ctrl-Z: `before` is done first, then the process is stopped, and `after` once it goes on. Returns the way back.
   */
  onSuspend(before: () => void, after: () => void): () => void;
  /** Shared by all views of this process. */
  readonly notes: Notes;
  /** Ends the process here and now, for a person who asked a third time. */
  exitNow(exitCode: number): void;
};
