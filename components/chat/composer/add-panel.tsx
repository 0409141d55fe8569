'use client'

import { AudioLines, Columns2, Drama, Mic, Paperclip } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSecondModel } from '@/components/chat/asking/second-model'
import { useIsPhone } from '@/components/chat/composer/floating'
import { openDictation, openRecorder } from '@/components/chat/composer/open-voice'
import type { Panel } from '@/components/chat/composer/panels'
import { SourcesPanel } from '@/components/chat/composer/sources-panel'
import { ThinkPanel } from '@/components/chat/composer/think-panel'
import type { useSetup } from '@/lib/browser/chat-setup'
import { takenKinds } from '@/lib/browser/files/refusals'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type AddPanelProps = {
  setup: ReturnType<typeof useSetup>
  model: ModelCard | undefined
  /** Whether there is a second model to ask. */
  hasOthers: boolean
  onPick: () => void
  onOpen: (panel: Panel) => void
}

/** What can be added to a message; on a phone how it is answered, too, since there is no room beside the field. */
export function AddPanel({ setup, model, hasOthers, onPick, onOpen }: AddPanelProps) {
  const isPhone = useIsPhone()
  const [second] = useSecondModel()
  return (
    <div>
      <Row icon={<Paperclip />} label={t('Images and files')} onClick={onPick}>
        {model && t('{model} accepts {kinds}.', { model: model.name, kinds: takenKinds(model) })}
      </Row>
      <Row icon={<Mic />} label={t('Dictate')} onClick={() => openDictation(onOpen)}>
        {t('Turn your speech into text.')}
      </Row>
      <Row icon={<AudioLines />} label={t('Record audio')} onClick={() => openRecorder(onOpen)}>
        {t('Recordings stay on this device until you send them.')}
      </Row>
      <Row icon={<Drama />} label={t('Character')} onClick={() => onOpen('character')}>
        {t('Select a character for this chat.')}
      </Row>
      {isPhone && hasOthers && (
        <Row
          icon={<Columns2 />}
          label={second ? t('Change second model') : t('Second model')}
          onClick={() => onOpen('compare')}
        >
          {t('Both models answer. You pay for both.')}
        </Row>
      )}
      {isPhone && (
        <div className="mt-2 border-t border-line pt-1">
          <SourcesPanel setup={setup} model={model} />
        </div>
      )}
      {isPhone && model?.badges.includes('reasoning') && (
        <div className="mt-2 border-t border-line pt-1">
          <ThinkPanel setup={setup} model={model} />
        </div>
      )}
    </div>
  )
}

type RowProps = { icon: ReactNode; label: string; onClick: () => void; children: ReactNode }

function Row({ icon, label, onClick, children }: RowProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-11 w-full items-start gap-3 rounded-control px-2 py-2 text-start hover:bg-hover [&>svg]:mt-px [&>svg]:size-[18px] [&>svg]:shrink-0 [&>svg]:stroke-[1.5] [&>svg]:text-ink-3"
    >
      {icon}
      <span className="min-w-0">
        <span className="block text-14 text-ink">{label}</span>
        <span className="block text-12 text-ink-2 empty:hidden">{children}</span>
      </span>
    </button>
  )
}
