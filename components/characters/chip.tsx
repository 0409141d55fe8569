import { Portrait } from '@/components/characters/portrait'
import type { CharacterRef } from '@/lib/browser/storage/records'

/** A character in one line: portrait and name. */
export function CharacterChip({ character }: { character: CharacterRef }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Portrait character={character} className="size-5 shrink-0 rounded-chip" />
      <span className="truncate">{character.name}</span>
    </span>
  )
}
