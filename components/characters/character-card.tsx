'use client'

import { Globe, Star } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type MouseEvent, memo } from 'react'
import { StoredImage } from '@/components/characters/local-portrait'
import { Portrait } from '@/components/characters/portrait'
import { characterHref, portraitPath, refOf } from '@/lib/browser/characters'
import type { LocalCharacter } from '@/lib/browser/storage/records'
import type { Character } from '@/lib/contract/characters/character.schema'
import { formatNumber, t } from '@/lib/i18n/t'

export type Shown = { kind: 'public'; character: Character } | { kind: 'local'; character: LocalCharacter }

export const idOf = (shown: Shown): string => (shown.kind === 'public' ? shown.character.slug : shown.character.id)

type CharacterCardProps = {
  shown: Shown
  isStarred: boolean
  isActive: boolean
  isEager: boolean
  onStar: (id: string) => void
  onOpenLocal: (id: string) => void
}

const FACE =
  'flex w-full flex-col text-start outline-offset-4 after:absolute after:inset-0 after:rounded-card after:content-[""]'

export const CharacterCard = memo(function CharacterCard(props: CharacterCardProps) {
  const { shown, isStarred, isActive, isEager, onStar, onOpenLocal } = props
  const { push } = useRouter()
  const { name, description } = shown.character
  const tabIndex = isActive ? 0 : -1
  const text = (
    <>
      <span dir="auto" className="mt-2.5 block h-6 truncate font-serif text-18 leading-6">
        {name}
      </span>
      <span dir="auto" className="mt-0.5 line-clamp-2 h-9 text-13 wrap-anywhere text-ink-2">
        {description}
      </span>
    </>
  )
  const portrait = 'aspect-square w-full rounded-card border border-line'
  const open = (event: MouseEvent, href: string) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    push(href)
  }
  return (
    <div className="group relative">
      {shown.kind === 'public' ? (
        <a
          href={characterHref(shown.character.slug)}
          data-card=""
          tabIndex={tabIndex}
          onClick={(event) => open(event, characterHref(shown.character.slug))}
          className={FACE}
        >
          <Portrait
            character={refOf(shown.character)}
            src={portraitPath(shown.character)}
            className={portrait}
            isEager={isEager}
          />
          {text}
        </a>
      ) : (
        <button
          type="button"
          data-card=""
          tabIndex={tabIndex}
          aria-haspopup="dialog"
          onClick={() => onOpenLocal(shown.character.id)}
          className={FACE}
        >
          <StoredImage hash={shown.character.portrait} name={name} className={portrait} />
          {text}
        </button>
      )}
      <Meta shown={shown} />
      <button
        type="button"
        tabIndex={tabIndex}
        aria-pressed={isStarred}
        aria-label={t('Favourite: {name}', { name })}
        title={t('Favourite')}
        onClick={() => onStar(idOf(shown))}
        className={`absolute end-1.5 top-1.5 z-1 inline-flex size-9 items-center justify-center rounded-chip bg-surface/85 transition-opacity pointer-coarse:size-11 ${isStarred ? 'text-accent' : 'text-ink-2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100'}`}
      >
        <Star aria-hidden="true" className={`size-4 ${isStarred ? 'fill-current' : ''}`} strokeWidth={1.5} />
      </button>
    </div>
  )
})

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

function Meta({ shown }: { shown: Shown }) {
  if (shown.kind === 'local') return <p className="mt-1 h-4 text-12 text-ink-3">{t('Only in this browser')}</p>
  const { stats, webEnabled, adult } = shown.character
  return (
    <p className="mt-1 flex h-4 items-center gap-2.5 overflow-hidden text-12 whitespace-nowrap text-ink-3">
      {stats.ratingCount > 0 && (
        <span>
          <span aria-hidden="true">★ </span>
          <span className="sr-only">{t('Rating:')} </span>
          {formatNumber(stats.averageRating, ONE_DIGIT)} ({formatNumber(stats.ratingCount)})
        </span>
      )}
      {adult && <span>{t('adult')}</span>}
      {webEnabled && (
        <span className="inline-flex items-center gap-1">
          <Globe aria-hidden="true" className="size-3" strokeWidth={1.5} />
          {t('web')}
        </span>
      )}
    </p>
  )
}
