import type { CliIo } from '../io.ts';
import { isCi } from '../terminal/look.ts';
import { shortPath } from '../terminal/short-path.ts';

const IN_CI = 'give it to the job, as a secret in its env';

/** How a variable is set here: in CI by the job, else in the shell or in the file that is read. */
export function setVariable({ env, cwd, notes }: Pick<CliIo, 'env' | 'cwd' | 'notes'>, variable: string): string {
  const [file] = notes.envFiles;
  const place = file === undefined ? null : shortPath(file.path, cwd);
  if (isCi(env)) return place === null ? `${IN_CI}; .env is not read in CI` : `${IN_CI}, or write ${variable}=… into ${place}`;
  return `export ${variable}=…, or write ${variable}=… into ${place ?? notes.envPlace ?? 'a file that --env names'}`;
}

/** The same as a command alone; of CI in words. */
export function setCommand(io: Pick<CliIo, 'env' | 'cwd' | 'notes'>, variable: string): string {
  return isCi(io.env) ? `${variable}: ${setVariable(io, variable)}` : `export ${variable}=…`;
}
