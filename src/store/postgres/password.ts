import pgpass from 'pgpass';
import { refusal } from './storage-error.ts';

type Wanted = { readonly host: string; readonly port: number; readonly database: string; readonly user: string };

/**
 * The password of a URL that states none, asked for only where the server wants one: that of `~/.pgpass` or `PGPASSFILE`, as libpq reads
 * it. Throws `UserError` (E22) where that has none.
 */
export async function passwordFromFile(wanted: Wanted): Promise<string> {
  const password = await new Promise<string | undefined>((resolve) => pgpass(wanted, resolve));
  if (password !== undefined) return password;
  const { user, host, port } = wanted;
  const next = ['set PGPASSWORD, add the server to ~/.pgpass (mode 600), or put the password into AIEVAL_STORE'];
  throw refusal(`the server ${host}:${port} wants a password of user "${user}", and none was given.`, next);
}
