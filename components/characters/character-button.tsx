'use client'

import { Drama } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { CharacterChip } from '@/components/characters/chip'
import { useSetup } from '@/lib/browser/chat-setup'
import { useCommand } from '@/lib/browser/commands'
import { t } from '@/lib/i18n/t'

const loadPicker = () => import('@/components/characters/picker').then((module) => module.CharacterPicker)
/** Fetched when it is first opened, or about to be. */
const CharacterPicker = dynamic(loadPicker, { ssr: false })

/** In the bar of a chat: who answers, and the way to somebody else. A phone has it once there is somebody to show, by the portrait alone. */
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
