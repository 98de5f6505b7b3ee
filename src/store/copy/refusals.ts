import { UserError } from '../../domain/errors.ts';
import { UPDATE_ADVICE } from '../../domain/update-advice.ts';

const REFUSED = 7;
const STORAGE = 8;

/** A store that may not be copied, or copied into, as it is: `E46`, exit 7. */
export function copyRefused(message: string, next: readonly string[]): UserError {
  return new UserError({ code: 'E46', exitCode: REFUSED, message, next });
}

/** A copy that is not what it is a copy of: `E47`, exit 8. */
export function copyDiffers(message: string, next: readonly string[], cause?: unknown): UserError {
  return new UserError({ code: 'E47', exitCode: STORAGE, message, next, cause });
}

/** A store that is still to become a copy is opened by nobody. `here` names it. */
export function unfinishedCopy(source: string, here: string): UserError {
  return copyRefused(`${here} is a copy of ${source} that is not whole yet.`, [`aieval store copy ${source} ${here}`]);
}

export function wrongVersion(shown: string, version: number, own: number): UserError {
  return version > own
    ? copyRefused(`${shown} was written by a newer aieval (schema ${version}; this one knows ${own}).`, [UPDATE_ADVICE])
    : copyRefused(`${shown} is of an older aieval (schema ${version}; this one copies ${own}), and a copy changes nothing of it.`, [
        'any command of this aieval that opens it brings it up: aieval status',
      ]);
}
