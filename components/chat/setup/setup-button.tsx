'use client'

import { SlidersHorizontal } from 'lucide-react'
import { IconButton } from '@/components/ui/button'
import { createPart } from '@/components/ui/part'
import { usePopover } from '@/components/ui/use-popover'
import { isChanged, useSetup } from '@/lib/browser/chat-setup'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

/** Fetched when it is first opened, or about to be. */
const setupPanel = createPart(() => import('@/components/chat/setup/setup-panel'))

type SetupButtonProps = { chatId: string | null; model: ModelCard | undefined }

/** The way to how this chat asks; a dot says that something differs from a plain chat. */
export function SetupButton({ chatId, model }: SetupButtonProps) {
  const { settings } = useSetup(chatId)
  const { trigger, popover } = usePopover(setupPanel)
  const hasChanges = isChanged(settings)
  return (
    <>
      <span className="relative inline-flex">
        <IconButton
          {...trigger}
          label={hasChanges ? t('Chat settings, changed') : t('Chat settings')}
          className="bar-tool"
        >
          <SlidersHorizontal aria-hidden="true" />
          <span className="bar-label">{t('Chat settings')}</span>
        </IconButton>
        {hasChanges && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute end-1 top-1 size-2 pointer-coarse:end-2.5 pointer-coarse:top-2.5 rounded-chip bg-accent"
          />
        )}
      </span>
      {popover && <popover.part.SetupPanel {...popover.props} chatId={chatId} model={model} />}
    </>
  )
}
