import type { UserId } from '../spool/spool-folder.ts';
import type { OnSpool } from '../spool/spool-intake.ts';
import type { OpenDatabase } from './connection.ts';
import type { FileSystemOptions } from './file-system-here.ts';

/** What a store on a SQLite file must know of its process and its machine. */
export type SqliteOptions = {
  /** Path of the database file; its folder must exist. */
  readonly path: string;
  /** Milliseconds since 1970; read inside transactions. */
  readonly clock: () => number;
  /** Milliseconds from any start, never going back: for how long something was seen does not depend on the clock. */
  readonly monotonic: () => number;
  /** This boot of this machine: one database serves one host. */
  readonly hostId: string;
  /** In [0, 1). */
  readonly random: () => number;
  /** A value never given before, in any process. */
  readonly newToken: () => string;
  /** Compiled `heartbeat-thread` file; `null` renews no leases. */
  readonly heartbeatThread: URL | null;
  /** The thread that renews leases died: the worker must stop. Claims are refused from then on, with or without this. */
  readonly onHeartbeatLost?: (error: Error) => void;
  /** A worker of another machine was here a moment ago; whether it still is takes up to 23 s to see. */
  readonly onForeignHost?: (hostname: string) => void;
  /** Folders that may hold paid answers when neither the database nor the folder beside it takes them; best first. */
  readonly spoolFolders?: readonly string[];
  /** Who must own those folders; `null`, the default, where the system knows no users. */
  readonly userId?: UserId;
  /** The lock of the database was held elsewhere, and is tried again. */
  readonly onLockRetry?: () => void;
  /** Hears of answers that an earlier process left behind. */
  readonly onSpool?: OnSpool;
  /** What is accepted of the file system; by default nothing but what is safe for certain. */
  readonly fileSystem?: FileSystemOptions;
  /** Opens the file; replaced by tests that break it. */
  readonly openDatabase?: OpenDatabase;
};
