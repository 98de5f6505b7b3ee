import { describe, expect, it } from 'vitest';
import { linuxFileSystem, mountedFileSystem, windowsFileSystem } from '../../../src/store/machine/file-system.ts';

describe('on Linux', () => {
  it.each([
    [0x6969, 'nfs'],
    [0x517b, 'smb'],
    [0xff534d42, 'cifs'],
    [0xfe534d42, 'smb2'],
    [0x00c36400, 'ceph'],
    [0x5346414f, 'afs'],
    [0x0bd00bd0, 'lustre'],
    [0x47504653, 'gpfs'],
  ])('%x is %s, a network file system', (type, name) => {
    expect(linuxFileSystem(type)).toEqual({ kind: 'network', name });
  });

  it.each([
    [0x01021997, '9p'],
    [0x65735546, 'fuse'],
    [0x786f4256, 'vboxsf'],
  ])('%x is %s, of which nothing certain is known', (type, name) => {
    expect(linuxFileSystem(type)).toEqual({ kind: 'uncertain', name });
  });

  it.each([
    [0xef53, 'ext4'],
    [0x794c7630, 'overlay'],
    [0x01021994, 'tmpfs'],
    [0x12345678, '0x12345678'],
  ])('%x is local (%s)', (type, name) => {
    expect(linuxFileSystem(type)).toEqual({ kind: 'local', name });
  });

  it('a type may come as a signed number, of 32 or of 64 bits, or as a bigint', () => {
    const cifs = { kind: 'network', name: 'cifs' };
    expect([0xff534d42 | 0, BigInt(0xff534d42 | 0), 0xff534d42n, 0xffffffffff534d42n].map(linuxFileSystem)).toEqual([
      cifs,
      cifs,
      cifs,
      cifs,
    ]);
  });
});

const MOUNTS = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
//ann@nas.local/work on /Volumes/work (smbfs, nodev, nosuid, mounted by ann)
nas:/export/home on /Volumes/nfs home (old) (nfs, nodev, nosuid)
afp_0TQ on /Volumes/afp (afpfs, nodev, nosuid, mounted by ann)
https://dav.example/ on /Volumes/dav (webdav, nodev, noexec, nosuid, read-only, mounted by ann)
ann@host:/ on /Users/ann/remote (macfuse, nodev, nosuid, synchronous, mounted by ann)
fuse-t:/vault on /Users/ann/vault (nfs, nodev, nosuid, mounted by ann)
/dev/disk5s1 on /Volumes/work/disk (hfs, local, journaled)
`;

describe('by the output of mount', () => {
  it.each([
    ['/Users/ann/spec', 'local', 'apfs'],
    ['/Volumes/workshop', 'local', 'apfs'],
    ['/Volumes/work/disk/spec', 'local', 'hfs'],
    ['/Volumes/work', 'network', 'smbfs'],
    ['/Volumes/work/spec', 'network', 'smbfs'],
    ['/Volumes/nfs home (old)/spec', 'network', 'nfs'],
    ['/Volumes/afp/spec', 'network', 'afpfs'],
    ['/Volumes/dav', 'network', 'webdav'],
    ['/Users/ann/remote/x', 'uncertain', 'macfuse'],
    ['/Users/ann/vault', 'uncertain', 'fuse-t'],
  ])('%s is %s (%s)', (folder, kind, name) => {
    expect(mountedFileSystem(MOUNTS, folder)).toEqual({ kind, name });
  });

  it('of two mounts on one point the later one counts', () => {
    const table = '/dev/disk1 on / (apfs, local)\n/dev/disk2 on /mnt (apfs, local)\nnas:/x on /mnt (nfs)\n';
    expect(mountedFileSystem(table, '/mnt/x')).toEqual({ kind: 'network', name: 'nfs' });
  });

  it('an output that says nothing of the folder leaves it unknown', () => {
    expect(mountedFileSystem('no such thing\n', '/x')).toEqual({ kind: 'local', name: 'unknown' });
  });
});

describe('on Windows', () => {
  it.each(['\\\\nas\\work\\spec', '\\\\?\\UNC\\nas\\work', '\\\\wsl.localhost\\Ubuntu\\home'])('%s is on the network', (folder) => {
    expect(windowsFileSystem(folder).kind).toBe('network');
  });

  it.each(['C:\\spec', '\\\\?\\C:\\spec', '\\\\.\\C:\\spec'])('%s is local', (folder) => {
    expect(windowsFileSystem(folder).kind).toBe('local');
  });
});
