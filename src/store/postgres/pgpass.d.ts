/** The package brings no types of its own. */
declare module 'pgpass' {
  type Wanted = { readonly host: string; readonly port: number; readonly database: string; readonly user: string };
  function pgpass(wanted: Wanted, found: (password: string | undefined) => void): void;
  export = pgpass;
}
