'use client'

import dynamic from 'next/dynamic'
import type { RefObject } from 'react'
import { useSecondModel } from '@/components/chat/asking/second-model'
import { AddPanel } from '@/components/chat/composer/add-panel'
import { Floating } from '@/components/chat/composer/floating'
import type { Panel } from '@/components/chat/composer/panels'
import { SourcesPanel } from '@/components/chat/composer/sources-panel'
import { ThinkPanel } from '@/components/chat/composer/think-panel'
import { Slot } from '@/components/common/slots'
import type { useSetup } from '@/lib/browser/chat-setup'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

const ModelPopover = dynamic(
  () => import('@/components/chat/models/model-popover').then((module) => module.ModelPopover),
  { ssr: false },
)

type ToolbarPanelsProps = {
  chatId: string | null
  setup: ReturnType<typeof useSetup>
  model: ModelCard | undefined
  models: ModelCard[]
  panel: Panel | undefined
  onPanel: (panel: Panel | undefined) => void
  onPick: () => void
  anchors: Record<'add' | 'sources' | 'think', RefObject<HTMLButtonElement | null>>
}

/** What the buttons below the field open. */
export function ToolbarPanels({ chatId, setup, model, models, panel, onPanel, onPick, anchors }: ToolbarPanelsProps) {
  const [second, setSecond] = useSecondModel()
  const others = models.filter(({ id, isOffline }) => id !== model?.id && !isOffline)
  const close = () => onPanel(undefined)
  // A phone shows one button; what a command opens there hangs from it.
  const anchorOf = (own: RefObject<HTMLButtonElement | null>) => (own.current?.offsetParent ? own : anchors.add)
  return (
    <>
      <Floating isOpen={panel === 'add'} onClose={close} anchor={anchors.add} label={t('Add to this message')}>
        <AddPanel
          {...{ setup, model }}
          hasOthers={others.length > 0}
          onPick={() => {
            close()
            onPick()
          }}
          onOpen={onPanel}
        />
      </Floating>
      <Floating isOpen={panel === 'sources'} onClose={close} anchor={anchorOf(anchors.sources)} label={t('Sources')}>
        <SourcesPanel {...{ setup, model }} />
      </Floating>
      {model && (
        <Floating isOpen={panel === 'think'} onClose={close} anchor={anchorOf(anchors.think)} label={t('Thinking')}>
          <ThinkPanel {...{ setup, model }} />
        </Floating>
      )}
      {panel === 'character' && <Slot part="CharacterPicker" chatId={chatId} onClose={close} />}
      {panel === 'compare' && (
        <ModelPopover
          isOpen
          onClose={close}
          anchor={anchors.add}
          models={others}
          chosenId={second}
          onPick={setSecond}
        />
      )}
    </>
  )
}
