import type { SideOptions } from '../../../src/store/copy/side.ts';

/** A process of the machine of the other tests' stores, at this time. */
export function side(clock: () => number): SideOptions {
  const onTrusted = () => undefined;
  return { clock, hostId: 'boot-1', random: () => 0.5, spoolFolders: [], userId: null, trustUncertain: true, onTrusted };
}
