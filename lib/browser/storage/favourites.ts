import { useLiveQuery } from 'dexie-react-hooks'
import { db } from '@/lib/browser/storage/database'
import type { Favourite } from '@/lib/browser/storage/records'

type Kind = Favourite['kind']

export type Favourites = { ids: string[] | undefined; has: (id: string) => boolean; toggle: (id: string) => void }

const favouriteKey = (kind: Kind, id: string) => `${kind}:${id}`

export function useFavourites(kind: Kind): Favourites {
  const ids = useLiveQuery(() => listFavourites(kind).catch((): string[] => []), [kind])
  return { ids, has: (id) => ids?.includes(id) ?? false, toggle: (id) => void toggleFavourite(kind, id) }
}

export async function listFavourites(kind: Kind): Promise<string[]> {
  const all = await db.favourites.where({ kind }).sortBy('at')
  return all.reverse().map(({ id }) => id)
}

export function toggleFavourite(kind: Kind, id: string): Promise<boolean> {
  const key = favouriteKey(kind, id)
  return db.transaction('rw', db.favourites, async () => {
    if (await db.favourites.get(key)) {
      await db.favourites.delete(key)
      return false
    }
    await db.favourites.put({ key, kind, id, at: Date.now() })
    return true
  })
}
