'use client'

import { Drama } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Portrait } from '@/components/characters/portrait'
import { useSetup } from '@/lib/browser/chat-setup'
import { useCommand } from '@/lib/browser/commands'
import type { CharacterRef } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

const loadPicker = () => import('@/components/characters/picker').then((module) => module.CharacterPicker)
const CharacterPicker = dynamic(loadPicker, { ssr: false })

export function CharacterButton({ chatId }: { chatId: string | null }) {
  const { character } = useSetup(chatId)
  const [isOpen, setIsOpen] = useState(false)
  useCommand('characters', () => setIsOpen(true))
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={character ? t('Character: {name}', { name: character.name }) : t('Choose a character')}
        title={t('Choose a character')}
        onClick={() => setIsOpen(true)}
        onPointerEnter={() => void loadPicker()}
        onFocus={() => void loadPicker()}
        className={`${character ? 'inline-flex' : 'hidden md:inline-flex'} min-h-9 max-w-44 min-w-9 items-center justify-center gap-1.5 rounded-control px-2 text-14 text-ink-2 hover:bg-hover hover:text-ink max-md:[&_.truncate]:hidden pointer-coarse:min-h-11 pointer-coarse:min-w-11`}
      >
        {character ? (
          <CharacterChip character={character} />
        ) : (
          <>
            <Drama aria-hidden="true" className="size-[18px] text-ink-3" strokeWidth={1.5} />
            <span className="bar-label">{t('Character')}</span>
          </>
        )}
      </button>
      {isOpen && <CharacterPicker chatId={chatId} onClose={() => setIsOpen(false)} />}
    </>
  )
}

export function CharacterChip({ character }: { character: CharacterRef }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Portrait character={character} className="size-5 shrink-0 rounded-chip" />
      <span className="truncate">{character.name}</span>
    </span>
  )
}

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

type CharacterDividerProps = { from: CharacterRef | undefined; to: CharacterRef | undefined }

export function CharacterDivider({ from, to }: CharacterDividerProps) {
  if (isSameCharacter(from, to)) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot hold words
    <div role="separator" aria-label={dividerText(from, to)} className="sheet-grid pt-6">
      <div className="sheet-words flex items-center gap-3 text-13 text-ink-3">
        <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line" />
        <span aria-hidden="true" className="flex min-w-0 items-center gap-2">
          {to && <Portrait character={to} className="size-5 shrink-0 rounded-chip" />}
          <span className="truncate">{dividerText(from, to)}</span>
        </span>
        <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line" />
      </div>
    </div>
  )
}

function isSameCharacter(one: CharacterRef | undefined, other: CharacterRef | undefined): boolean {
  return one?.id === other?.id && (one?.isLocal ?? false) === (other?.isLocal ?? false)
}

function dividerText(from: CharacterRef | undefined, to: CharacterRef | undefined): string {
  if (to) return t('{name} answers from here on', { name: to.name })
  return from ? t('{name} left. The model answers without a character', { name: from.name }) : ''
}

export function Greeting({ text }: { text: string }) {
  if (text.trim() === '') return null
  return (
    <blockquote
      dir="auto"
      className="rounded-[18px] rounded-ss-control bg-bubble px-4 py-3 text-16 wrap-anywhere whitespace-pre-line"
    >
      {text}
    </blockquote>
  )
}
