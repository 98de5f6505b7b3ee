import type { UserError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/manifest/suggest.ts';
import { refusal } from './storage-error.ts';

/** Parameters of a URL that count: `schema` is of aieval, the others mean what libpq means by them. */
const FOLLOWED = 'schema host port user password sslmode sslrootcert sslcert sslkey application_name options'.split(' ');

/** Those of libpq that ask with these values for what is done anyway: a server that is silent or read-only is noticed, and said, by itself. */
const DONE_ANYWAY: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    connect_timeout: /^-?\d+$/,
    keepalives: /^1$/,
    keepalives_idle: /^\d+$/,
    keepalives_interval: /^\d+$/,
    keepalives_count: /^\d+$/,
    tcp_user_timeout: /^\d+$/,
    target_session_attrs: /^(any|read-write|primary)$/,
    client_encoding: /^(auto|utf-?8)$/i,
    fallback_application_name: /^/,
    gssencmode: /^(disable|prefer)$/,
    channel_binding: /^(disable|prefer)$/,
    sslnegotiation: /^postgres$/,
    sslcompression: /^0$/,
    sslsni: /^1$/,
    ssl_min_protocol_version: /^TLSv1(\.[012])?$/i,
    load_balance_hosts: /^disable$/,
  }),
);

/** The other ones of libpq. Whoever states one relies on it, and it would do nothing here. */
const NOT_FOLLOWED: readonly string[] = [
  'dbname hostaddr service servicefile passfile require_auth replication krbsrvname gsslib gssdelegation',
  'sslpassword sslcertmode sslcrl sslcrldir sslkeylogfile requiressl requirepeer',
  'ssl_max_protocol_version min_protocol_version max_protocol_version',
  'scram_client_key scram_server_key oauth_issuer oauth_client_id oauth_client_secret oauth_scope',
].flatMap((names) => names.split(' '));

/** Removes what is done anyway. Throws `UserError` (E22, exit 2) where one of the parameters would be passed over, or cannot be meant. */
export function checkParameters(parameters: URLSearchParams): void {
  for (const [name, value] of [...parameters]) {
    if (DONE_ANYWAY.get(name)?.test(value) === true) parameters.delete(name, value);
    else checkParameter(parameters, name);
  }
  checkTls(parameters);
}

function checkParameter(parameters: URLSearchParams, name: string): void {
  if (DONE_ANYWAY.has(name)) {
    throw wrong(`aieval does not follow ${name} of the URL with this value.`, [`leave ${name} out`, THOSE]);
  }
  if (NOT_FOLLOWED.includes(name)) throw wrong(`aieval does not follow the parameter ${name} of the URL.`, [`leave ${name} out`, THOSE]);
  // Of a URL with something amiss anything may stand here.
  const shown = /^\w{1,40}$/.test(name) ? `a parameter "${name}"` : 'a parameter';
  if (!FOLLOWED.includes(name)) throw wrong(`the URL has ${shown} that is not known.${didYouMean(name, FOLLOWED)}`, [THOSE]);
  if (parameters.getAll(name).length > 1) throw wrong(`the URL states ${name} twice.`, ['leave one of them out']);
}

const THOSE = `parameters that count: ${FOLLOWED.join(', ')}`;

function wrong(message: string, next: readonly string[]): UserError {
  return refusal(message, next, undefined, 2);
}

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/** `prefer` and `allow` protect against nobody, and whoever states one of them may believe that they do. */
function checkTls(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode');
  if (mode === null) return;
  if (!TLS_MODES.includes(mode)) {
    throw wrong(`sslmode must be one of ${TLS_MODES.join(', ')}.`, ['sslmode=verify-full proves that it is the right server']);
  }
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) {
    throw wrong('sslmode=verify-ca needs sslrootcert=<path of a CA certificate>.', ['sslmode=verify-full takes public ones']);
  }
}
