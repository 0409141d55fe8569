'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Download, Pencil, Trash2 } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { Greeting } from '@/components/characters/chat-parts'
import { FileButton } from '@/components/characters/file-button'
import { StoredImage } from '@/components/characters/local-portrait'
import { Button } from '@/components/ui/button'
import { TextField } from '@/components/ui/form-fields'
import { Sheet } from '@/components/ui/modal'
import { Alert } from '@/components/ui/notice'
import { showToast } from '@/components/ui/toast'
import { localPrompt, readPersona } from '@/lib/browser/characters'
import { shrinkPortrait } from '@/lib/browser/files/shrink-image'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import { startWithCharacter } from '@/lib/browser/start-character-chat'
import { keepBlob, loadBlob } from '@/lib/browser/storage/blobs'
import {
  type CharacterDraft,
  deleteLocal,
  EMPTY_DRAFT,
  findLocal,
  restoreLocal,
  saveLocal,
} from '@/lib/browser/storage/own-characters'
import { type LocalCharacter, UNDO_MS } from '@/lib/browser/storage/records'
import { LIMITS } from '@/lib/contract/characters/character'
import { t } from '@/lib/i18n/t'

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
    if (!portrait) return saveFile(fileNameOf(character.name, 'json', 'character'), cardJson(character))
    const { shrinkPortrait } = await import('@/lib/browser/files/shrink-image')
    const card = await cardPng(character, await shrinkPortrait(portrait, 'image/png'))
    saveFile(fileNameOf(character.name, 'png', 'character'), card)
  } catch {
    showToast({ text: t('The card could not be created.') })
  }
}

const CHAR: string = '{{char}}'
const USER: string = '{{user}}'

type OwnEditorProps = { id?: string; onClose: () => void; onSaved: (id: string) => void }

export function OwnEditor({ id, onClose, onSaved }: OwnEditorProps) {
  const known = useLiveQuery(
    async () => (id === undefined ? EMPTY_DRAFT : ((await findLocal(id)) ?? EMPTY_DRAFT)),
    [id],
  )
  return (
    <Sheet isOpen isHeld onClose={onClose} title={id === undefined ? t('Create character') : t('Edit character')}>
      {known && <Form before={known} {...(id !== undefined && { id })} onSaved={onSaved} />}
    </Sheet>
  )
}

type FormProps = { before: CharacterDraft; id?: string; onSaved: (id: string) => void }

function Form({ before, id, onSaved }: FormProps) {
  const [draft, setDraft] = useState<CharacterDraft>({ ...before })
  const [tags, setTags] = useState(before.tags.join(', '))
  const [fault, setFault] = useState('')
  const change = (changes: Partial<CharacterDraft>) => setDraft((known) => ({ ...known, ...changes }))
  const save = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (draft.name.trim() === '') return setFault(t('Enter a name for the character.'))
    try {
      onSaved((await saveLocal({ ...draft, tags: tags.split(',') }, id)).id)
    } catch {
      setFault(t('The character could not be saved in this browser. Free up space and try again.'))
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} noValidate className="mt-2 space-y-4">
      <p className="text-13 text-ink-2">
        {t('The character is stored in this browser. Its text is sent to the model only with your messages.')}
      </p>
      <PortraitField
        name={draft.name}
        hash={draft.portrait}
        onChange={(portrait) =>
          setDraft(({ portrait: _, ...rest }) => ({ ...rest, ...(portrait !== undefined && { portrait }) }))
        }
      />
      <TextField
        label={t('Name')}
        isRequired
        maxLength={LIMITS.name}
        value={draft.name}
        onChange={(name) => {
          change({ name })
          setFault('')
        }}
      />
      <TextField
        label={t('Description')}
        hint={t('Shown only to you, not sent to the model.')}
        maxLength={LIMITS.description}
        rows={2}
        value={draft.description}
        onChange={(description) => change({ description })}
      />
      <TextField
        label={t('Character instructions')}
        hint={t(
          'The model reads these instructions before every answer. Use {char} for the character’s name and {user} for yours.',
          { char: CHAR, user: USER },
        )}
        placeholder={t('You are a retired lighthouse keeper. You speak slowly and know the weather…')}
        maxLength={LIMITS.prompt}
        rows={7}
        value={draft.systemPrompt}
        onChange={(systemPrompt) => change({ systemPrompt })}
      />
      <TextField
        label={t('Opening message')}
        hint={t('Shown at the start of a new chat, free of charge. Optional.')}
        maxLength={LIMITS.greeting}
        rows={3}
        value={draft.greeting}
        onChange={(greeting) => change({ greeting })}
      />
      <TextField label={t('Tags')} hint={t('Separated by commas.')} maxLength={400} value={tags} onChange={setTags} />
      <Alert>{fault}</Alert>
      <Button type="submit" kind="primary">
        {id === undefined ? t('Save in this browser') : t('Save changes')}
      </Button>
    </form>
  )
}

type PortraitFieldProps = { name: string; hash: string | undefined; onChange: (hash: string | undefined) => void }

/** Makes the portrait small and square on this device; the file itself is not stored. */
function PortraitField({ name, hash, onChange }: PortraitFieldProps) {
  const [fault, setFault] = useState('')
  const take = async (file: File) => {
    setFault('')
    try {
      onChange(await keepBlob('', await shrinkPortrait(file)))
    } catch (error) {
      setFault(error instanceof RangeError ? error.message : t('This image can’t be read. Choose another one.'))
    }
  }
  return (
    <div className="flex items-center gap-4">
      <StoredImage hash={hash} name={name || '?'} className="size-20 shrink-0 rounded-card border border-line" />
      <div className="min-w-0 space-y-1.5">
        <div className="flex flex-wrap gap-2">
          <FileButton label={t('Image')} accept="image/*" onFile={(file) => void take(file)}>
            {t('Choose image')}
          </FileButton>
          {hash !== undefined && (
            <Button kind="plain" onClick={() => onChange(undefined)}>
              {t('Remove image')}
            </Button>
          )}
        </div>
        <Alert>{fault}</Alert>
      </div>
    </div>
  )
}
