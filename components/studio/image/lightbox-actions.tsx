'use client'

import { Columns2, Download, Maximize2, MessageSquareShare, Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Comparison } from '@/components/studio/image/compare'
import { tasksWith } from '@/components/studio/image/form'
import type { ImageModel } from '@/components/studio/image/models'
import { workOn } from '@/components/studio/image/use-again'
import { saveResult } from '@/components/studio/parts/actions'
import { sendToChat } from '@/components/studio/parts/to-chat'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

type LightboxActionsProps = {
  /** Of the file that is on screen. */
  id: string
  shown: readonly Generation[]
  models: readonly ImageModel[]
  onDone: () => void
  onCompare: (comparison: Comparison) => void
}

/** What can be done with the picture on screen. */
export function LightboxActions({ id, shown, models, onDone, onCompare }: LightboxActionsProps) {
  const creation = shown.find(({ results }) => results.some((file) => file.id === id))
  const file = creation?.results.find((one) => one.id === id)
  if (!creation || !file) return null
  const tasks = tasksWith(models)
  const other = creation.inputs[0] ?? shown.flatMap(({ results }) => results).find((one) => one.id !== id)
  const leave = (act: () => void) => () => {
    onDone()
    act()
  }
  return (
    <>
      {tasks.includes('edit') && (
        <Action label={t('Edit image')} onClick={leave(() => workOn(file, 'edit'))}>
          <Pencil aria-hidden="true" />
        </Action>
      )}
      {tasks.includes('upscale') && (
        <Action label={t('Upscale image')} onClick={leave(() => workOn(file, 'upscale'))}>
          <Maximize2 aria-hidden="true" />
        </Action>
      )}
      {other && (
        <Action label={t('Compare')} onClick={() => onCompare({ leftId: other.id, rightId: id })}>
          <Columns2 aria-hidden="true" />
        </Action>
      )}
      <Action label={t('Ask in a new chat')} onClick={leave(() => void sendToChat(file))}>
        <MessageSquareShare aria-hidden="true" />
      </Action>
      <Action label={t('Download')} onClick={() => void saveResult(creation, id)}>
        <Download aria-hidden="true" />
      </Action>
    </>
  )
}

type ActionProps = { label: string; onClick: () => void; children: ReactNode }

const Action = ({ label, onClick, children }: ActionProps) => (
  <button type="button" aria-label={label} title={label} onClick={onClick} className="yarl__button">
    {children}
  </button>
)
