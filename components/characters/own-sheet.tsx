'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Download, Pencil, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Greeting } from '@/components/characters/greeting'
import { StoredImage } from '@/components/characters/local-portrait'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { showToast } from '@/components/ui/toast'
import { localPrompt, readPersona } from '@/lib/browser/characters'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import { startWithCharacter } from '@/lib/browser/start-character-chat'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { deleteLocal, findLocal, restoreLocal } from '@/lib/browser/storage/own-characters'
import { type LocalCharacter, UNDO_MS } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

const OwnEditor = dynamic(() => import('@/components/characters/own-editor').then((module) => module.OwnEditor), {
  ssr: false,
})

type OwnSheetProps = { id: string; onClose: () => void }

export function OwnSheet({ id, onClose }: OwnSheetProps) {
  const character = useLiveQuery(async () => (await findLocal(id)) ?? null, [id])
  const [isEditing, setIsEditing] = useState(false)
  if (isEditing) return <OwnEditor id={id} onClose={() => setIsEditing(false)} onSaved={() => setIsEditing(false)} />
  return (
    <Sheet isOpen onClose={onClose} title={character?.name ?? t('Character')}>
      {character === null && (
        <p className="mt-3 text-14 text-ink-2">{t('This character is no longer in this browser.')}</p>
      )}
      {character && <About character={character} onEdit={() => setIsEditing(true)} onClose={onClose} />}
    </Sheet>
  )
}

type AboutProps = { character: LocalCharacter; onEdit: () => void; onClose: () => void }

function About({ character, onEdit, onClose }: AboutProps) {
  const { id, name, description, portrait } = character
  const start = () => {
    startWithCharacter({ id, name, isLocal: true }).then(onClose, () =>
      showToast({ text: t('The chat could not be started. Try again.') }),
    )
  }
  return (
    <div className="mt-3 space-y-4">
      <div className="flex items-start gap-4">
        <StoredImage hash={portrait} name={name} className="size-24 shrink-0 rounded-card border border-line" />
        <div className="min-w-0">
          <p dir="auto" className="text-14 wrap-anywhere whitespace-pre-line text-ink-2">
            {description}
          </p>
          <p className="mt-1 text-12 text-ink-3">{t('Only in this browser. This character is fictional.')}</p>
        </div>
      </div>
      <Greeting text={localPrompt(character, readPersona()).greeting ?? ''} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={start}>
          {t('Start chat')}
        </Button>
        <Button onClick={onEdit}>
          <Pencil aria-hidden="true" className="size-4" strokeWidth={1.5} />
          {t('Change')}
        </Button>
        <Button onClick={() => void exportCard(character)}>
          <Download aria-hidden="true" className="size-4" strokeWidth={1.5} />
          {t('Export card')}
        </Button>
        <Button kind="plain" onClick={() => void remove(id, onClose)}>
          <Trash2 aria-hidden="true" className="size-4" strokeWidth={1.5} />
          {t('Delete')}
        </Button>
      </div>
    </div>
  )
}

async function remove(id: string, onGone: () => void): Promise<void> {
  const removed = await deleteLocal(id)
  onGone()
  if (!removed) return
  showToast({
    text: t('Character deleted.'),
    lastsMs: UNDO_MS,
    action: { label: t('Undo'), run: () => void restoreLocal(removed) },
  })
}

async function exportCard(character: LocalCharacter): Promise<void> {
  try {
    const { cardJson, cardPng } = await import('@/components/characters/card-file')
    const portrait = character.portrait ? await loadBlob(character.portrait) : undefined
    if (!portrait) return saveFile(fileNameOf(character.name, 'json'), cardJson(character))
    const { shrinkPortrait } = await import('@/lib/browser/files/shrink-image')
    const card = await cardPng(character, await shrinkPortrait(portrait, 'image/png'))
    saveFile(fileNameOf(character.name, 'png'), card)
  } catch {
    showToast({ text: t('The card could not be created.') })
  }
}
