'use client'

import { ChevronLeft, ChevronRight, Ellipsis, Pencil, RefreshCw, Shuffle } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ComponentProps, cloneElement, type ReactElement, useState } from 'react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { Slot } from '@/components/common/slots'
import { withoutMarks } from '@/components/markdown/citations/sources'
import { IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

const loadMenu = () => import('@/components/chat/turns/turn-menus').then((module) => module.TurnMenu)
const TurnMenu = dynamic(loadMenu, { ssr: false })

const FADED =
  'opacity-0 transition-opacity group-hover:opacity-100 group-focus-within:opacity-100 pointer-coarse:opacity-100'
const BESIDE = 'flex max-sm:hidden'
/** An answer that may name an address: what opens it in the playground is fetched only then. */
const ADDRESS_LIKE = /0x[\da-f]{40}/i

type QuestionActionsProps = { turn: Turn; actions: TurnActions; isBusy: boolean; onEdit: () => void }

export function QuestionActions({ turn, actions, isBusy, onEdit }: QuestionActionsProps) {
  return (
    <div className="flex shrink-0 items-center">
      <div className={`flex ${FADED}`}>
        <span className={BESIDE}>
          <CopyButton text={turn.text} label={t('Copy message')} />
        </span>
        <IconButton label={t('Edit message')} disabled={isBusy} onClick={onEdit} data-edit-question="">
          <Pencil aria-hidden="true" />
        </IconButton>
        <More turn={turn} actions={actions} isBusy={isBusy} label={t('More for this message')} />
      </div>
      <Versions turn={turn} actions={actions} isBusy={isBusy} />
    </div>
  )
}

type AnswerActionsProps = { turn: Turn; models: ModelCard[]; actions: TurnActions; isLast: boolean; isBusy: boolean }

export function AnswerActions({ turn, models, actions, isLast, isBusy }: AnswerActionsProps) {
  return (
    <div className="sheet-foot -ms-2 flex min-h-9 items-center pt-1 pointer-coarse:min-h-11">
      <div className={`flex ${isLast ? '' : FADED}`}>
        <CopyButton text={withoutMarks(turn.text)} label={t('Copy answer')} />
        <IconButton label={t('Regenerate')} disabled={isBusy} onClick={() => void actions.regenerate(turn)}>
          <RefreshCw aria-hidden="true" />
        </IconButton>
        <OtherModel models={models} turn={turn} actions={actions}>
          <IconButton label={t('Regenerate with another model')} disabled={isBusy}>
            <Shuffle aria-hidden="true" />
          </IconButton>
        </OtherModel>
        {ADDRESS_LIKE.test(turn.text) && <Slot part="OpenFound" text={turn.text} />}
        <More {...{ turn, actions, isBusy, isLast }} label={t('More for this answer')} />
      </div>
      <Versions turn={turn} actions={actions} isBusy={isBusy} />
    </div>
  )
}

type MoreProps = { turn: Turn; actions: TurnActions; isBusy: boolean; isLast?: boolean; label: string }

function More({ label, ...rest }: MoreProps) {
  const { isWanted, trigger } = useLazyMenu(loadMenu)
  if (isWanted) return <TurnMenu {...rest} label={label} />
  return (
    <IconButton {...trigger} label={label}>
      <Ellipsis aria-hidden="true" />
    </IconButton>
  )
}

/** Fetches a menu at the first sign that it will be opened. */
function useLazyMenu(load: () => Promise<unknown>) {
  const [isWanted, setIsWanted] = useState(false)
  const trigger = {
    'aria-haspopup': 'menu',
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => void load().then(() => setIsWanted(true)),
  } as const
  return { isWanted, trigger }
}

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

const loadModelMenu = () => import('@/components/chat/turns/turn-menus').then((module) => module.OtherModelMenu)
const OtherModelMenu = dynamic(loadModelMenu, { ssr: false })

const MAX_OTHERS = 12

type OtherModelProps = {
  models: ModelCard[]
  turn: Turn
  actions: TurnActions
  children: ReactElement<ComponentProps<'button'>>
}

export function OtherModel({ models, turn, actions, children }: OtherModelProps) {
  const { isWanted, trigger } = useLazyMenu(loadModelMenu)
  const others = models.filter((model) => model.id !== turn.modelId && !model.isOffline).slice(0, MAX_OTHERS)
  if (others.length === 0) return null
  if (isWanted) {
    return (
      <OtherModelMenu models={others} onPick={(id) => void actions.regenerate(turn, id)}>
        {children}
      </OtherModelMenu>
    )
  }
  return cloneElement(children, trigger)
}
