import { loadBlob } from '@/lib/browser/storage/blobs'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { uuid } from '@/lib/contract/ids'

/** Results that this browser had no room for, by a name that no hash has. They last as long as the page. */
const held = new Map<string, Blob>()
const UNKEPT = 'unkept-'

/** Holds a result in memory. */
export function holdUnkept(data: Blob, facts: Omit<CreationFile, 'id' | 'hash' | 'size' | 'mediaType'>): CreationFile {
  const hash = UNKEPT + uuid()
  held.set(hash, data)
  return { id: uuid(), hash, size: data.size, mediaType: data.type, ...facts }
}

export const isUnkept = ({ hash }: Pick<CreationFile, 'hash'>): boolean => hash.startsWith(UNKEPT)

/** The bytes of a file of a creation; nothing when they are gone from this browser. */
export async function loadFile({
  hash,
  mediaType,
}: Pick<CreationFile, 'hash' | 'mediaType'>): Promise<Blob | undefined> {
  const blob = held.get(hash) ?? (await loadBlob(hash))
  // Read again as what it is, whatever the database says of it.
  return blob && (blob.type === mediaType ? blob : blob.slice(0, blob.size, mediaType))
}
