'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { type RefObject, type SubmitEvent, useId, useState } from 'react'
import { nameFor, showRequestsTab } from '@/components/rpc/request-draft'
import { cleanName } from '@/components/rpc/saved-requests-file'
import { addSaved, listSaved, MAX_FOLDER_CHARS, MAX_NAME_CHARS, MAX_SAVED, type NewSaved } from '@/components/rpc/store'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { Button } from '@/components/ui/button'
import { OVERLAY } from '@/components/ui/menu'
import { showToast } from '@/components/ui/toast'
import { t } from '@/lib/i18n/t'

type SavePopoverProps = Pick<NewSaved, 'network' | 'calls' | 'isBatch'> & {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
}

const FIELD =
  'mt-1 block min-h-9 w-full rounded-control border border-control bg-surface px-2.5 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16'

export function SavePopover({ isOpen, onClose, anchor, ...call }: SavePopoverProps) {
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor }}
      label={t('Save request')}
      align="end"
      className={`${OVERLAY} w-72 p-4`}
    >
      <SaveForm call={call} onDone={onClose} />
    </AnchoredPopover>
  )
}

type SaveFormProps = { call: Pick<NewSaved, 'network' | 'calls' | 'isBatch'>; onDone: () => void }

function SaveForm({ call, onDone }: SaveFormProps) {
  const folders = useLiveQuery(async () =>
    [...new Set((await listSaved()).map(({ folder }) => folder))].filter(Boolean),
  )
  const [name, setName] = useState(() => nameFor(call.calls))
  const [folder, setFolder] = useState('')
  const [problem, setProblem] = useState<string>()
  const listId = useId()
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    try {
      const clean = {
        name: cleanName(name, MAX_NAME_CHARS) || nameFor(call.calls),
        folder: cleanName(folder, MAX_FOLDER_CHARS),
      }
      const added = await addSaved([{ ...call, ...clean }])
      if (added === 0)
        return setProblem(t('You already have {count} saved requests. Delete some first.', { count: MAX_SAVED }))
      onDone()
      showToast({ text: t('Saved on this device'), action: { label: t('Show'), run: () => showRequestsTab('saved') } })
    } catch {
      setProblem(t('Your browser couldn’t save the request. Free up space and try again.'))
    }
  }
  return (
    <form className="space-y-3" onSubmit={(event) => void save(event)}>
      <label className="block text-13 text-ink-2">
        {t('Name')}
        <input
          dir="auto"
          value={name}
          maxLength={MAX_NAME_CHARS}
          onChange={(event) => setName(event.target.value)}
          onFocus={(event) => event.target.select()}
          className={FIELD}
        />
      </label>
      <label className="block text-13 text-ink-2">
        {t('Collection')}
        <input
          dir="auto"
          value={folder}
          maxLength={MAX_FOLDER_CHARS}
          placeholder={t('none')}
          list={listId}
          autoComplete="off"
          onChange={(event) => setFolder(event.target.value)}
          className={FIELD}
        />
        <datalist id={listId}>
          {folders?.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      {problem && <p className="text-13 text-danger">{problem}</p>}
      <Button kind="primary" type="submit" className="w-full">
        {t('Save')}
      </Button>
    </form>
  )
}
