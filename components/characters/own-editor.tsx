'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { type SubmitEvent, useRef, useState } from 'react'
import { Field } from '@/components/characters/field'
import { StoredImage } from '@/components/characters/local-portrait'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { Sheet } from '@/components/ui/sheet'
import { shrinkPortrait } from '@/lib/browser/files/shrink-image'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { type CharacterDraft, EMPTY_DRAFT, findLocal, saveLocal } from '@/lib/browser/storage/own-characters'
import { LIMITS } from '@/lib/contract/characters/character'
import { t } from '@/lib/i18n/t'

const CHAR: string = '{{char}}'
const USER: string = '{{user}}'

type OwnEditorProps = {
  id?: string
  onClose: () => void
  onSaved: (id: string) => void
}

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
      <Field
        label={t('Name')}
        isRequired
        maxLength={LIMITS.name}
        value={draft.name}
        onChange={(name) => {
          change({ name })
          setFault('')
        }}
      />
      <Field
        label={t('Description')}
        hint={t('Shown only to you, not sent to the model.')}
        maxLength={LIMITS.description}
        rows={2}
        value={draft.description}
        onChange={(description) => change({ description })}
      />
      <Field
        label={t('Character instructions')}
        hint={t(
          'The model reads these instructions before every answer. Use {char} for the character’s name and {user} for yours.',
          {
            char: CHAR,
            user: USER,
          },
        )}
        placeholder={t('You are a retired lighthouse keeper. You speak slowly and know the weather…')}
        maxLength={LIMITS.prompt}
        rows={7}
        value={draft.systemPrompt}
        onChange={(systemPrompt) => change({ systemPrompt })}
      />
      <Field
        label={t('Opening message')}
        hint={t('Shown at the start of a new chat, free of charge. Optional.')}
        maxLength={LIMITS.greeting}
        rows={3}
        value={draft.greeting}
        onChange={(greeting) => change({ greeting })}
      />
      <Field label={t('Tags')} hint={t('Separated by commas.')} maxLength={400} value={tags} onChange={setTags} />
      <p role="alert" className="text-13 text-danger empty:hidden">
        {fault}
      </p>
      <Button type="submit" kind="primary">
        {id === undefined ? t('Save in this browser') : t('Save changes')}
      </Button>
    </form>
  )
}

type PortraitFieldProps = {
  name: string
  hash: string | undefined
  onChange: (hash: string | undefined) => void
}

/** Makes the portrait small and square on this device; the file itself is not stored. */
function PortraitField({ name, hash, onChange }: PortraitFieldProps) {
  const input = useRef<HTMLInputElement>(null)
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
          <Button onClick={() => input.current?.click()}>{t('Choose image')}</Button>
          {hash !== undefined && (
            <Button kind="plain" onClick={() => onChange(undefined)}>
              {t('Remove image')}
            </Button>
          )}
        </div>
        <p role="alert" className="text-13 text-danger empty:hidden">
          {fault}
        </p>
      </div>
      <FileInput
        ref={input}
        aria-label={t('Image')}
        accept="image/*"
        tabIndex={-1}
        hidden
        onFiles={([file]) => void take(file)}
      />
    </div>
  )
}
