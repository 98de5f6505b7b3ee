import { sha256Hex } from '../../domain/canonical-json.ts';
import type { KeyIdOf } from '../../engine/routes.ts';

const KEY_ID_CHARACTERS = 16;

/** Tells keys apart without giving them away. Where the key is not in this process's environment, its variable's name must do. */
export function keyIdOf(env: { readonly [name: string]: string | undefined }): KeyIdOf {
  return ({ apiKeyEnv }) => {
    const key = apiKeyEnv === null ? undefined : env[apiKeyEnv];
    return key === undefined || key === '' ? apiKeyEnv : sha256Hex(key).slice(0, KEY_ID_CHARACTERS);
  };
}
