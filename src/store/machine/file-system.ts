/** Where a folder is: `uncertain` may keep the promises that SQLite's locks and shared memory need, or not. */
export type FileSystem = { readonly kind: 'local' | 'network' | 'uncertain'; readonly name: string };

/** Name of a file system of which the machine does not say what it is. */
export const UNKNOWN = 'unknown';

const NETWORK = 'network';
const UNCERTAIN = 'uncertain';

/**
 * What `statfs` calls file systems that machines share (linux/magic.h, and those that coreutils' `stat` calls remote). Cluster file
 * systems are among them: their locks may hold across machines, the shared memory of SQLite's log does not.
 */
const LINUX_TYPES: ReadonlyMap<number, FileSystem> = new Map([
  [0x6969, { kind: NETWORK, name: 'nfs' }],
  [0x6e667364, { kind: NETWORK, name: 'nfsd' }],
  [0x517b, { kind: NETWORK, name: 'smb' }],
  [0xff534d42, { kind: NETWORK, name: 'cifs' }],
  [0xfe534d42, { kind: NETWORK, name: 'smb2' }],
  [0x00c36400, { kind: NETWORK, name: 'ceph' }],
  [0x5346414f, { kind: NETWORK, name: 'afs' }],
  [0x6b414653, { kind: NETWORK, name: 'afs' }],
  [0x73757245, { kind: NETWORK, name: 'coda' }],
  [0x564c, { kind: NETWORK, name: 'ncp' }],
  [0x0bd00bd0, { kind: NETWORK, name: 'lustre' }],
  [0x47504653, { kind: NETWORK, name: 'gpfs' }],
  [0x19830326, { kind: NETWORK, name: 'beegfs' }],
  [0x01161970, { kind: NETWORK, name: 'gfs2' }],
  [0x7461636f, { kind: NETWORK, name: 'ocfs2' }],
  [0xaad7aaea, { kind: NETWORK, name: 'panfs' }],
  [0xbeefdead, { kind: NETWORK, name: 'snfs' }],
  // Folders of the host in a virtual machine or a container, disks of Windows in WSL (/mnt/c), and whatever a program serves.
  [0x01021997, { kind: UNCERTAIN, name: '9p' }],
  [0x65735546, { kind: UNCERTAIN, name: 'fuse' }],
  [0x53464846, { kind: UNCERTAIN, name: 'wslfs' }],
  [0x786f4256, { kind: UNCERTAIN, name: 'vboxsf' }],
  [0xbacbacbc, { kind: UNCERTAIN, name: 'vmhgfs' }],
  [0x7c7c6673, { kind: UNCERTAIN, name: 'prl_fs' }],
  // Named, because these forget: `doctor` says so.
  [0x01021994, { kind: 'local', name: 'tmpfs' }],
  [0x858458f6, { kind: 'local', name: 'ramfs' }],
  [0xef53, { kind: 'local', name: 'ext4' }],
  [0x58465342, { kind: 'local', name: 'xfs' }],
  [0x9123683e, { kind: 'local', name: 'btrfs' }],
  [0x2fc12fc1, { kind: 'local', name: 'zfs' }],
  [0xf2f52010, { kind: 'local', name: 'f2fs' }],
  [0x794c7630, { kind: 'local', name: 'overlay' }],
]);

/** By the `type` of Linux' `statfs`, which some architectures give as a signed number. What is not in the table is local. */
export function linuxFileSystem(type: number | bigint): FileSystem {
  const unsigned = Number(BigInt.asUintN(32, BigInt(type)));
  return LINUX_TYPES.get(unsigned) ?? { kind: 'local', name: `0x${unsigned.toString(16)}` };
}

/** A line of `mount`: device, mount point, and the options, the first of which is the type. A mount point may hold any of them. */
const MOUNT_LINE = /^(.+?) on (\/.*) \(([^()]*)\)$/;
const NETWORK_TYPES: ReadonlySet<string> = new Set(['nfs', 'smbfs', 'cifs', 'afpfs', 'webdav', 'ftp', 'acfs']);
const UNCERTAIN_TYPES = /fuse|^(?:9p|virtiofs|prl_fs|vmhgfs|vboxfs)$/;
/** It serves its volumes as NFS, from this machine. */
const FUSE_T_DEVICE = /^fuse-t:/;

/** By what `mount` prints on macOS and the BSDs, whose type numbers differ from boot to boot. `folder` is a real path. */
export function mountedFileSystem(table: string, folder: string): FileSystem {
  let found = { point: '', device: '', type: UNKNOWN };
  for (const line of table.split('\n')) {
    const [, device = '', point = '', options = ''] = MOUNT_LINE.exec(line) ?? [];
    // Of two mounts on one point the later one is seen.
    if (point.length >= found.point.length && contains(point, folder)) found = { point, device, type: options.split(',')[0] ?? UNKNOWN };
  }
  return { kind: kindOfMount(found.device, found.type), name: FUSE_T_DEVICE.test(found.device) ? 'fuse-t' : found.type };
}

function kindOfMount(device: string, type: string): FileSystem['kind'] {
  if (FUSE_T_DEVICE.test(device) || UNCERTAIN_TYPES.test(type)) return UNCERTAIN;
  return NETWORK_TYPES.has(type) ? NETWORK : 'local';
}

function contains(point: string, folder: string): boolean {
  return point !== '' && (point === '/' || folder === point || folder.startsWith(`${point}/`));
}

const UNC = /^\\\\(?:\?\\UNC\\|(?![?.]\\))/i;

/** By its path, which is all that Windows says: a letter that stands for a share is not seen. */
export function windowsFileSystem(folder: string): FileSystem {
  return UNC.test(folder) ? { kind: NETWORK, name: 'a network share' } : { kind: 'local', name: UNKNOWN };
}
