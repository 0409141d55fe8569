import { Portrait } from '@/components/characters/portrait'
import type { CharacterRef } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

type CharacterDividerProps = {
  /** Who answered above it, and who answers below it. */
  from: CharacterRef | undefined
  to: CharacterRef | undefined
}

/** A line across the chat where another character takes over, or the last one leaves. Nothing where nobody changes. */
export function CharacterDivider({ from, to }: CharacterDividerProps) {
  if (isSameCharacter(from, to)) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot hold words
    <div role="separator" aria-label={wordsOf(from, to)} className="sheet-grid pt-6">
      <div className="sheet-words flex items-center gap-3 text-13 text-ink-3">
        <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line" />
        <span aria-hidden="true" className="flex min-w-0 items-center gap-2">
          {to && <Portrait character={to} className="size-5 shrink-0 rounded-chip" />}
          <span className="truncate">{wordsOf(from, to)}</span>
        </span>
        <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line" />
      </div>
    </div>
  )
}

function isSameCharacter(one: CharacterRef | undefined, other: CharacterRef | undefined): boolean {
  return one?.id === other?.id && (one?.isLocal ?? false) === (other?.isLocal ?? false)
}

function wordsOf(from: CharacterRef | undefined, to: CharacterRef | undefined): string {
  if (to) return t('{name} answers from here on', { name: to.name })
  return from ? t('{name} left. The model answers without a character', { name: from.name }) : ''
}
