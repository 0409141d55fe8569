import { Portrait } from '@/components/characters/portrait'
import type { CharacterRef } from '@/lib/browser/storage/records'

/** Above an answer: which character gives it. */
export function CharacterByline({ character }: { character: CharacterRef }) {
  return (
    <p className="mb-1.5 flex min-w-0 items-center gap-2 text-14">
      <Portrait character={character} className="size-6 shrink-0 rounded-chip" />
      <span dir="auto" className="truncate font-serif">
        {character.name}
      </span>
    </p>
  )
}
