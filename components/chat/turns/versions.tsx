'use client'

import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { IconButton } from '@/components/ui/button'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

/** Which of several versions is shown. */
export function Versions({ turn, actions, isBusy }: { turn: Turn; actions: TurnActions; isBusy: boolean }) {
  const { versions } = turn
  const at = versions.indexOf(turn.id)
  const [before, after] = [versions[at - 1], versions[at + 1]]
  if (versions.length < 2) return null
  return (
    <fieldset aria-label={t('Versions')} className="flex items-center text-13 text-ink-3 tabular-nums">
      <IconButton
        label={t('Earlier version')}
        aria-keyshortcuts="Alt+ArrowLeft"
        disabled={isBusy || !before}
        onClick={() => before && actions.showVersion(turn, before)}
      >
        <ChevronLeft aria-hidden="true" className="rtl:-scale-x-100" />
      </IconButton>
      {at + 1}/{versions.length}
      <IconButton
        label={t('Later version')}
        aria-keyshortcuts="Alt+ArrowRight"
        disabled={isBusy || !after}
        onClick={() => after && actions.showVersion(turn, after)}
      >
        <ChevronRight aria-hidden="true" className="rtl:-scale-x-100" />
      </IconButton>
    </fieldset>
  )
}
