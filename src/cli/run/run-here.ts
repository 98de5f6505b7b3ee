import { existsSync } from 'node:fs';
import { areFilesHere } from '../../engine/files-here.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';

/** A run as it is to be told on this machine; `manifestHere` is false where no command can begin with its manifest; absent: it can. */
export type RunHere = RunRow & { readonly manifestHere?: boolean };

type Place = {
  readonly store: Pick<Store, 'spansMachines'>;
  /** With what this process started the run, where it did. */
  readonly startedWith?: string | undefined;
  readonly isThere?: ((path: string) => boolean) | undefined;
};

/**
 * The run with the manifest that stands for it here. A path that another machine wrote is that machine's, whatever stands there on this
 * one; and a file may be gone.
 */
export function runHere(run: RunRow, { store, startedWith, isThere = existsSync }: Place): RunHere {
  if (startedWith !== undefined) return { ...run, manifestPath: startedWith };
  return { ...run, manifestHere: areFilesHere({ store, run }) && isThere(run.manifestPath) };
}
